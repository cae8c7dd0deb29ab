import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { RefreshCw } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { connectorDetail, useConnectorWrites, type ConnectorDetail } from '../api/connectors.js';
import { useMay } from '../api/use-session.js';
import { Button } from '../shared/button.js';
import { FailedPage, isLost } from '../shared/failed-page.js';
import { Notice } from '../shared/notice.js';
import { Loading, Page } from '../shared/page.js';
import { toPlainLine } from '../shared/plain-text.js';
import { PlainLine } from '../shared/plain.js';
import { Tabs } from '../shared/tabs.js';
import { ConnectorCredentials } from './connector-credentials.js';
import { ConnectorSettings } from './connector-settings.js';
import { stateOf, StateBadge, wayOf } from './connector-state.js';
import { ConnectorStory } from './connector-story.js';
import { ConnectorToolList } from './connector-tool-list.js';
import { SyncOutcome } from './sync-outcome.js';

const route = getRouteApi('/connectors/$id');
const TABS = ['tools', 'credentials', 'history', 'settings'];

export function ConnectorPage() {
  const { id } = route.useParams();
  const { data, error } = useQuery(connectorDetail(id));
  if (isLost(data, error)) return <FailedPage title={id} error={error} />;
  if (data === undefined) return <Loading what={id} />;
  return <Loaded key={id} connector={data.body} tag={data.tag} />;
}

function Loaded({
  connector,
  tag,
}: {
  readonly connector: ConnectorDetail;
  readonly tag: string | undefined;
}) {
  const { tab = 'tools', added } = route.useSearch();
  const navigate = route.useNavigate();
  const mayRun = useMay('operator');
  const { sync } = useConnectorWrites();
  const { id, name } = connector;
  const syncNow = sync.mutate;
  const first = useRef(added === 'yes');
  useEffect(() => {
    if (!first.current) return;
    first.current = false;
    // So that reloading the page does not sync again.
    void navigate({ search: {}, replace: true });
    syncNow({ id });
  }, [id, navigate, syncNow]);
  const { reason } = stateOf(connector);
  return (
    <Page
      title={toPlainLine(name, 80)}
      name={<PlainLine text={name} most={200} />}
      lead={
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <StateBadge connector={connector} syncing={sync.isPending} />
          <span>{id}</span>
          <span>{wayOf(connector)}</span>
          {connector.url !== undefined && <PlainLine text={connector.url} className="mono" />}
          {connector.command !== undefined && <PlainLine text={connector.command} className="mono" />}
        </p>
      }
      actions={
        mayRun && (
          <Button
            kind="primary"
            busy={sync.isPending}
            disabled={!connector.enabled}
            onClick={() => syncNow({ id })}
          >
            <RefreshCw aria-hidden className="size-4" />
            {sync.isPending ? 'Syncing…' : 'Sync'}
          </Button>
        )
      }
    >
      <div aria-live="polite" className="mb-4 grid gap-3 empty:hidden">
        {reason !== undefined && sync.error === null && (
          <Notice tone="bad">
            The upstream does not answer: <PlainLine text={reason} most={300} />
          </Notice>
        )}
        {!sync.isPending && <SyncOutcome name={name} report={sync.data} error={sync.error} />}
      </div>
      <Tabs
        label="About this connector"
        value={TABS.includes(tab) ? tab : 'tools'}
        onChange={(next) => void navigate({ search: { tab: next }, replace: true })}
        views={[
          {
            id: 'tools',
            label: `Tools (${connector.sync?.tools ?? 0})`,
            content: <ConnectorToolList connector={connector} />,
          },
          {
            id: 'credentials',
            label: 'Credentials',
            content: <ConnectorCredentials connector={connector} />,
          },
          { id: 'history', label: 'History', content: <ConnectorStory connector={connector} /> },
          {
            id: 'settings',
            label: 'Settings',
            content: <ConnectorSettings connector={connector} tag={tag} />,
          },
        ]}
      />
    </Page>
  );
}
