import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { fetched } from '../api/fetched.js';
import { toolDetail, type ToolView } from '../api/tools.js';
import { useMay } from '../api/use-session.js';
import { Badge } from '../shared/badge.js';
import { JsonCode } from '../shared/code.js';
import { writeJson } from '../shared/exact-json.js';
import { FailedPage, isLost } from '../shared/failed-page.js';
import { Notice } from '../shared/notice.js';
import { Loading, Page, Section } from '../shared/page.js';
import { PlainBlock, PlainLine } from '../shared/plain.js';
import { RiskBadge } from '../shared/risk-badge.js';
import { Tabs } from '../shared/tabs.js';
import { SchemaTable } from './schema-table.js';
import { ToolAccess } from './tool-access.js';
import { ToolHistory } from './tool-history.js';

const Playground = lazy(async () => ({ default: (await fetched(import('./playground.js'))).Playground }));
const route = getRouteApi('/tools/$name');
const TABS = ['definition', 'playground', 'access', 'history'];

export function ToolPage() {
  const { name } = route.useParams();
  const { tab = 'playground', agent } = route.useSearch();
  const navigate = route.useNavigate();
  const mayCall = useMay('operator');
  const { data: tool, error } = useQuery(toolDetail(name));
  if (isLost(tool, error)) return <FailedPage title={name} error={error} />;
  if (tool === undefined) return <Loading what={name} />;
  return (
    <Page
      title={name}
      name={<span className="mono text-xl">{name}</span>}
      lead={
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <RiskBadge risk={tool.risk} />
          <span>
            <PlainLine text={tool.tool} className="mono" most={100} /> of{' '}
            <Link to="/connectors/$id" params={{ id: tool.connector }} className="text-accent underline">
              {tool.connector}
            </Link>
          </span>
          {tool.tags.map((tag) => (
            <Badge key={tag}>{tag}</Badge>
          ))}
        </p>
      }
    >
      {tool.description !== undefined && (
        <PlainBlock text={tool.description} most={3_000} className="mb-4 max-w-prose" />
      )}
      <Tabs
        label="About this tool"
        value={TABS.includes(tab) ? tab : 'playground'}
        onChange={(next) => void navigate({ search: (before) => ({ ...before, tab: next }), replace: true })}
        views={[
          {
            id: 'playground',
            label: 'Playground',
            content: mayCall ? (
              <Suspense fallback={<Loading what="the playground" />}>
                <Playground key={name} tool={tool} agent={agent} />
              </Suspense>
            ) : (
              <Notice tone="info">Only operators and owners can call tools from here.</Notice>
            ),
          },
          { id: 'definition', label: 'Definition', content: <Definition tool={tool} /> },
          { id: 'access', label: 'Who can use it', content: <ToolAccess tool={tool} agent={agent} /> },
          { id: 'history', label: 'History', content: <ToolHistory tool={tool} /> },
        ]}
      />
    </Page>
  );
}

function Definition({ tool }: { readonly tool: ToolView }) {
  return (
    <>
      <Section title="Arguments">
        <SchemaTable schema={tool.inputSchema} label="Arguments" />
      </Section>
      {tool.outputSchema !== undefined && (
        <Section title="Structured result">
          <SchemaTable schema={tool.outputSchema} label="Structured result" />
        </Section>
      )}
      {tool.annotations !== undefined && (
        <Section title="Annotations" lead="What the server claims of it. A claim is not a promise.">
          <ul className="flex flex-wrap gap-2">
            {Object.entries(tool.annotations).map(([name, value]) => (
              <li key={name}>
                <Badge>
                  <PlainLine text={`${name}: ${writeJson(value)}`} most={120} />
                </Badge>
              </li>
            ))}
          </ul>
        </Section>
      )}
      <details className="panel mb-4 px-4 py-3">
        <summary className="font-medium">Whole definition as JSON</summary>
        <div className="mt-3">
          <JsonCode value={tool} label="Definition as JSON" tall />
        </div>
      </details>
    </>
  );
}
