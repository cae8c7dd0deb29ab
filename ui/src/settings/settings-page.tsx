import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { currentSession } from '../api/session.js';
import { useMay } from '../api/use-session.js';
import { Loading, Page } from '../shared/page.js';
import { Tabs } from '../shared/tabs.js';
import { Admins } from './admins.js';
import { Clients } from './clients.js';
import { MasterKey } from './master-key.js';

const route = getRouteApi('/settings');

/** Who may come in, and what protects what is kept. */
export function SettingsPage() {
  const { data: session } = useQuery(currentSession);
  const isOwner = useMay('owner');
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  const clients = { id: 'clients', label: 'Programs', content: <Clients /> };
  const views = isOwner
    ? [
        { id: 'admins', label: 'Admins', content: <Admins /> },
        clients,
        { id: 'master-key', label: 'Master key', content: <MasterKey /> },
      ]
    : [clients];
  return (
    <Page
      title="Settings"
      lead={
        isOwner
          ? 'Who may run this hub, which programs act as agents, the master key.'
          : 'Which programs act as agents. Admins and the master key are for owners.'
      }
    >
      {session === undefined ? (
        <Loading what="settings" />
      ) : (
        <Tabs
          label="Settings"
          views={views}
          value={views.find(({ id }) => id === tab)?.id ?? views[0]?.id ?? 'clients'}
          onChange={(next) => void navigate({ search: { tab: next }, replace: true })}
        />
      )}
    </Page>
  );
}
