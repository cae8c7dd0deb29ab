import { Link } from '@tanstack/react-router';
import type { ToolView } from '../api/tools.js';
import { PlainLine } from './plain.js';
import { RiskBadge } from './risk-badge.js';

/** One tool in a list. */
export function ToolRow({
  tool,
  showConnector = false,
  why,
}: {
  readonly tool: ToolView;
  /** An agent that cannot use it: then the way leads to the reason. */
  readonly why?: string | undefined;
  readonly showConnector?: boolean;
}) {
  const about = tool.description ?? tool.title;
  return (
    <div className="px-4 py-2.5">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Link
          to="/tools/$name"
          params={{ name: tool.name }}
          {...(why !== undefined && { search: { tab: 'access', agent: why } })}
          className="mono min-w-0 font-medium hover:underline"
        >
          <PlainLine text={showConnector ? tool.name : tool.tool} most={80} />
        </Link>
        <RiskBadge risk={tool.risk} />
        {showConnector && <span className="text-sm text-muted">{tool.connector}</span>}
      </p>
      <p className="truncate text-sm text-muted">
        {about === undefined ? 'No description' : <PlainLine text={about} most={240} />}
      </p>
    </div>
  );
}
