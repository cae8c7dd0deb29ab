import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus, RefreshCw } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { connectorList, useConnectorWrites, type ConnectorView } from '../api/connectors.js';
import { callStatistics, type StatisticsView } from '../api/status.js';
import { useMay } from '../api/use-session.js';
import { Button, ButtonLink } from '../shared/button.js';
import { TextField } from '../shared/field.js';
import { ProblemNotice } from '../shared/notice.js';
import { EmptyState, Loading, Page } from '../shared/page.js';
import { PlainLine } from '../shared/plain.js';
import { Sparkline } from '../shared/sparkline.js';
import { Ago } from '../shared/time.js';
import { VirtualRows } from '../shared/virtual-rows.js';
import { StateBadge, stateOf, wayOf } from './connector-state.js';
import { SyncOutcome } from './sync-outcome.js';

const COLUMNS =
  'grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-1 md:grid-cols-[minmax(0,2.2fr)_minmax(0,1.2fr)_4rem_minmax(0,1fr)_13rem_auto] md:items-center';

export function ConnectorsPage() {
  const { data: connectors, error } = useQuery(connectorList);
  const { data: statistics } = useQuery(callStatistics);
  const mayRun = useMay('operator');
  const [text, setText] = useState('');
  const search = useDeferredValue(text.trim().toLowerCase());
  const { sync } = useConnectorWrites();
  const shown = connectors?.filter(({ id, name }) => `${id} ${name}`.toLowerCase().includes(search));
  const synced = connectors?.find(({ id }) => id === sync.variables?.id);
  return (
    <Page
      title="Connectors"
      lead="The services your agents can use through this hub."
      actions={
        mayRun && (
          <ButtonLink kind="primary" to="/connectors/new">
            <Plus aria-hidden className="size-4" />
            Add a connector
          </ButtonLink>
        )
      }
    >
      {error !== null && <ProblemNotice error={error} />}
      <div aria-live="polite" className="mb-3 empty:hidden">
        {synced !== undefined && !sync.isPending && (
          <SyncOutcome name={synced.name} report={sync.data} error={sync.error} />
        )}
      </div>
      {shown === undefined && error === null && <Loading what="connectors" />}
      {connectors?.length === 0 && (
        <EmptyState
          title="No service is connected yet"
          action={
            mayRun && (
              <ButtonLink kind="primary" to="/connectors/new">
                Add a connector
              </ButtonLink>
            )
          }
        >
          {mayRun
            ? 'Add one by its address, or paste the configuration you have in Claude, Cursor or VS Code.'
            : 'Operators and owners add them.'}
        </EmptyState>
      )}
      {connectors !== undefined && connectors.length > 5 && (
        <div className="mb-3 max-w-sm">
          <TextField
            label="Search connectors"
            hideLabel
            type="search"
            placeholder="Search connectors"
            value={text}
            onText={setText}
          />
        </div>
      )}
      {shown !== undefined && connectors !== undefined && connectors.length > 0 && (
        <>
          <div aria-hidden className={`${COLUMNS} hidden px-4 pb-1 text-sm text-muted md:grid`}>
            <span>Name</span>
            <span>State</span>
            <span>Tools</span>
            <span>Last sync</span>
            <span>Calls, last hour</span>
            <span className="w-18" />
          </div>
          {shown.length === 0 && <EmptyState title="No connector has this in its name" />}
          {shown.length > 0 && (
            <VirtualRows
              label="Connectors"
              items={shown}
              keyOf={({ id }) => id}
              rowHeight={68}
              render={(connector) => (
                <ConnectorRow
                  connector={connector}
                  share={statistics?.connectors.find(({ id }) => id === connector.id)}
                  syncing={sync.isPending && sync.variables.id === connector.id}
                  {...(mayRun && { onSync: () => sync.mutate({ id: connector.id }) })}
                />
              )}
            />
          )}
        </>
      )}
    </Page>
  );
}

function ConnectorRow({
  connector,
  share,
  syncing,
  onSync,
}: {
  readonly connector: ConnectorView;
  readonly share: StatisticsView['connectors'][number] | undefined;
  readonly syncing: boolean;
  readonly onSync?: () => void;
}) {
  const { reason } = stateOf(connector);
  return (
    <div className={`${COLUMNS} px-4 py-3`}>
      <div className="min-w-0">
        <Link to="/connectors/$id" params={{ id: connector.id }} className="font-medium hover:underline">
          <PlainLine text={connector.name} most={80} />
        </Link>
        <p className="truncate text-sm text-muted">
          {connector.id} · {wayOf(connector)}
        </p>
      </div>
      <div className="min-w-0 max-md:text-right">
        <StateBadge connector={connector} syncing={syncing} />
        {reason !== undefined && (
          <p className="text-sm text-muted max-md:hidden">
            <PlainLine text={reason} most={90} />
          </p>
        )}
      </div>
      <p className="text-sm">
        {connector.sync?.tools ?? 0}
        <span className="md:sr-only"> {connector.sync?.tools === 1 ? 'tool' : 'tools'}</span>
      </p>
      <p className="text-sm text-muted max-md:text-right">
        {connector.sync === null ? 'never' : <Ago at={connector.sync.syncedAt} />}
      </p>
      <Share share={share} />
      <div className="justify-self-end">
        {onSync !== undefined && (
          <Button small busy={syncing} disabled={!connector.enabled} onClick={onSync}>
            <RefreshCw aria-hidden className="size-3.5" />
            Sync
            <span className="sr-only"> {connector.id}</span>
          </Button>
        )}
      </div>
    </div>
  );
}

function Share({ share }: { readonly share: StatisticsView['connectors'][number] | undefined }) {
  if (share === undefined || share.calls === 0) return <p className="text-sm text-muted">no calls</p>;
  const rate = Math.round((100 * share.failed) / share.calls);
  return (
    <div className="flex items-center gap-2 text-sm">
      <span className="whitespace-nowrap">
        {share.calls}
        {share.failed > 0 && <span className="text-bad"> ({rate}% failed)</span>}
        <span className="md:sr-only"> calls</span>
      </span>
      <Sparkline values={share.perMinute} />
    </div>
  );
}
