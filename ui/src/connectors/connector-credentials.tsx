import { useQuery } from '@tanstack/react-query';
import { agentList } from '../api/agents.js';
import type { ConnectorDetail } from '../api/connectors.js';
import { EmptyState, Loading } from '../shared/page.js';
import { OwnerAccounts, type Owner } from './owner-accounts.js';

const SHARED: Owner = { id: 'shared', label: 'All agents' };

/** Who has a credential for this connector: everybody together, or each agent. */
export function ConnectorCredentials({ connector }: { readonly connector: ConnectorDetail }) {
  const { auth, credentialMode, transport } = connector;
  const { data: agents } = useQuery(agentList);
  const variables = Object.keys(connector.env ?? {});
  if (transport === 'stdio')
    return (
      <EmptyState title="A process needs no credential here">
        What it needs comes from its environment, in the operator's configuration
        {variables.length > 0 && `: ${variables.join(', ')}`}.
      </EmptyState>
    );
  if (auth.type === 'none')
    return (
      <EmptyState title="This connector uses no credential">
        If its server asks for one, choose what kind under Settings.
      </EmptyState>
    );
  if (agents === undefined) return <Loading what="credentials" />;
  const owners =
    credentialMode === 'per_agent' ? agents.map(({ id, name }) => ({ id, label: name })) : [SHARED];
  return (
    <div className="grid gap-4">
      <p className="text-muted">
        {credentialMode === 'per_agent'
          ? 'Each agent has its own credential. One without it sees the tools but cannot call them.'
          : 'All agents use this one credential. They never see it.'}
      </p>
      <ul className="panel divide-y divide-line" aria-label="Credentials">
        {owners.map((owner) => (
          <li key={owner.id}>
            <OwnerAccounts
              connector={connector}
              owner={owner}
              accounts={connector.credentials.filter((each) => each.owner === owner.id)}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}
