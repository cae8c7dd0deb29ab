import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { agentList } from '../api/agents.js';
import { connectorList } from '../api/connectors.js';
import { toolPages, type ToolFilters } from '../api/tools.js';
import { useMay } from '../api/use-session.js';
import { ButtonLink } from '../shared/button.js';
import { SelectField, TextField } from '../shared/field.js';
import { ProblemNotice } from '../shared/notice.js';
import { EmptyState, Loading, Page } from '../shared/page.js';
import { toPlainLine } from '../shared/plain-text.js';
import { ToolRow } from '../shared/tool-row.js';
import { VirtualRows } from '../shared/virtual-rows.js';

const route = getRouteApi('/tools');
const TYPING_MS = 200;

const RISKS = [
  { value: '', label: 'Any effect' },
  { value: 'read', label: 'Only reads' },
  { value: 'write', label: 'Writes' },
  { value: 'destructive', label: 'May destroy' },
];

export function ToolsPage() {
  const search = route.useSearch();
  const mayRun = useMay('operator');
  const { data, error, isPlaceholderData, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    toolPages(search),
  );
  const tools = data?.pages.flatMap(({ items }) => items);
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Page title="Tools" lead="Everything your connectors offer, under the names agents use.">
      <Filters search={search} />
      {error !== null && <ProblemNotice error={error} />}
      {tools === undefined && error === null && <Loading what="tools" />}
      <p role="status" className="mb-2 text-sm text-muted">
        {tools !== undefined &&
          `${tools.length}${hasNextPage ? ' or more' : ''} ${tools.length === 1 && !hasNextPage ? 'tool' : 'tools'}`}
      </p>
      {tools?.length === 0 &&
        (isFiltered ? (
          <EmptyState title="No tool matches" action={<ButtonLink to="/tools">Show all tools</ButtonLink>} />
        ) : (
          <EmptyState
            title="No tools yet"
            action={
              mayRun && (
                <ButtonLink kind="primary" to="/connectors/new">
                  Add a connector
                </ButtonLink>
              )
            }
          >
            Tools come from connectors. What an added service offers is listed here.
          </EmptyState>
        ))}
      {tools !== undefined && tools.length > 0 && (
        <div className={isPlaceholderData ? 'opacity-60' : ''}>
          <VirtualRows
            label="Tools"
            items={tools}
            keyOf={({ name }) => name}
            rowHeight={64}
            render={(tool) => (
              <ToolRow
                tool={tool}
                showConnector
                why={search.access === 'cannot' ? search.agent : undefined}
              />
            )}
            more={{
              has: hasNextPage && error === null,
              busy: isFetchingNextPage,
              fetch: () => void fetchNextPage(),
            }}
          />
        </div>
      )}
    </Page>
  );
}

function Filters({ search }: { readonly search: ToolFilters }) {
  const navigate = route.useNavigate();
  const { data: connectors = [] } = useQuery(connectorList);
  const { data: agents = [] } = useQuery(agentList);
  const set = (change: ToolFilters) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const [text, setText] = useDelayedText(search.q ?? '', (q) => set({ q }));
  const access = search.agent === undefined ? '' : `${search.access ?? 'can'} ${search.agent}`;
  return (
    <div role="search" className="mb-3 grid gap-3 sm:grid-cols-2 lg:grid-cols-[2fr_1fr_1fr_1fr]">
      <TextField
        label="Search tools"
        hideLabel
        type="search"
        placeholder="Search name and description"
        value={text}
        onText={setText}
      />
      <SelectField
        label="Connector"
        hideLabel
        value={search.connector ?? ''}
        choices={[
          { value: '', label: 'All connectors' },
          ...connectors.map(({ id, name }) => ({ value: id, label: toPlainLine(name, 60) })),
        ]}
        onText={(connector) => set({ connector })}
      />
      <SelectField
        label="Effect"
        hideLabel
        value={search.risk ?? ''}
        choices={RISKS}
        onText={(risk) => set({ risk: risk as NonNullable<ToolFilters['risk']> })}
      />
      <SelectField
        label="Agent"
        hideLabel
        value={access}
        choices={[
          { value: '', label: 'Any agent' },
          ...agents.flatMap(({ id }) => [
            { value: `can ${id}`, label: `${id} can use` },
            { value: `cannot ${id}`, label: `${id} cannot use` },
          ]),
        ]}
        onText={(value) => {
          const [choice, agent = ''] = value.split(' ');
          set({ agent, access: choice === 'cannot' ? 'cannot' : 'can' });
        }}
      />
    </div>
  );
}

/** Text that is passed on when the typing pauses. */
function useDelayedText(given: string, onText: (text: string) => void) {
  const [text, setText] = useState(given);
  useEffect(() => {
    if (text === given) return undefined;
    const timer = setTimeout(() => onText(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, given, onText]);
  return [text, setText] as const;
}
