import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { connectorTools, useConnectorWrites, type ConnectorDetail } from '../api/connectors.js';
import { toolPages } from '../api/tools.js';
import { useMay } from '../api/use-session.js';
import { Button, ButtonLink } from '../shared/button.js';
import { Notice, ProblemNotice } from '../shared/notice.js';
import { EmptyState, Loading } from '../shared/page.js';
import { PlainLine } from '../shared/plain.js';
import { ToolRow } from '../shared/tool-row.js';
import { VirtualRows } from '../shared/virtual-rows.js';

/** What a connector offers, and what of it cannot be offered. */
export function ConnectorToolList({ connector }: { readonly connector: ConnectorDetail }) {
  const { id, enabled } = connector;
  const mayDecide = useMay('owner');
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    toolPages({ connector: id }),
  );
  const { data: offered } = useQuery(connectorTools(id));
  if (data === undefined) return error === null ? <Loading what="tools" /> : <ProblemNotice error={error} />;
  const tools = data.pages.flatMap(({ items }) => items);
  const rejected = offered?.rejected ?? [];
  const held = rejected.filter((each) => each.held).length;
  return (
    <div className="grid gap-4">
      {error !== null && <ProblemNotice error={error} />}
      {!enabled && <Notice tone="info">The connector is disabled, so nobody is offered its tools.</Notice>}
      {tools.length === 0 && enabled && (
        <EmptyState title="No tools are known yet">Sync asks the server what it offers.</EmptyState>
      )}
      {tools.length > 0 && (
        <>
          {mayDecide && (
            <div>
              <ButtonLink to="/policies/new" search={{ connector: id }}>
                Give an agent access
              </ButtonLink>
            </div>
          )}
          <VirtualRows
            label="Tools"
            items={tools}
            keyOf={({ name }) => name}
            rowHeight={64}
            render={(tool) => <ToolRow tool={tool} />}
            more={{
              has: hasNextPage && error === null,
              busy: isFetchingNextPage,
              fetch: () => void fetchNextPage(),
            }}
          />
        </>
      )}
      {held > 0 && <HeldTools id={id} count={held} />}
      {rejected.length > 0 && (
        <details className="panel px-4 py-3">
          <summary className="font-medium">{rejected.length} that cannot be offered</summary>
          <ul className="mt-2 grid gap-1 text-sm">
            {rejected.map(({ kind, name, reason }) => (
              <li key={`${kind} ${name}`}>
                {kind} <PlainLine text={name} className="mono" most={80} />: <PlainLine text={reason} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

/** Tools that are not what they were, and the way to offer them as they are. */
function HeldTools({ id, count }: { readonly id: string; readonly count: number }) {
  const mayAccept = useMay('operator');
  const { sync } = useConnectorWrites();
  return (
    <Notice
      tone="warn"
      action={
        mayAccept && (
          <Button busy={sync.isPending} onClick={() => sync.mutate({ id, accept: true })}>
            Accept what changed
          </Button>
        )
      }
    >
      {count === 1 ? 'One tool is' : `${count} tools are`} held back: the definition changed since it was
      accepted.
      {sync.error !== null && <ProblemNotice error={sync.error} />}
    </Notice>
  );
}
