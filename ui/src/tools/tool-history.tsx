import { useQuery } from '@tanstack/react-query';
import { toolChanges, type ToolView } from '../api/tools.js';
import { Badge } from '../shared/badge.js';
import { ButtonLink } from '../shared/button.js';
import { ProblemNotice } from '../shared/notice.js';
import { Loading, Section } from '../shared/page.js';
import { ExactTime } from '../shared/time.js';

const TONES = { added: 'good', changed: 'warn', removed: 'bad' } as const;

/** When syncs found that its definition is different. */
export function ToolHistory({ tool: { connector, tool } }: { readonly tool: ToolView }) {
  const { data, error } = useQuery(toolChanges(connector, tool));
  return (
    <Section
      title="Changes of its definition"
      lead="As the latest syncs of the connector found them."
      actions={
        <ButtonLink small to="/connectors/$id" params={{ id: connector }} search={{ tab: 'history' }}>
          All changes of the connector
        </ButtonLink>
      }
    >
      {error !== null && <ProblemNotice error={error} />}
      {data === undefined && error === null && <Loading what="changes" />}
      {data?.length === 0 && <p className="text-muted">It has not changed since the first sync.</p>}
      <ul aria-label="Changes" className="grid gap-1">
        {data?.map(({ at, kind }) => (
          <li key={`${at} ${kind}`} className="flex flex-wrap items-center gap-x-3">
            <Badge tone={TONES[kind]}>{kind}</Badge>
            <ExactTime at={at} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
