import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AgentDetail } from '../api/agents.js';
import { connectorList } from '../api/connectors.js';
import { useMay } from '../api/use-session.js';
import { AccountBadge, MissingBadge } from '../shared/account-badge.js';
import { ButtonLink } from '../shared/button.js';
import { Section } from '../shared/page.js';
import { PlainLine } from '../shared/plain.js';

/** The connectors where each agent needs a credential of its own, and whether this one has it. */
export function AgentAccounts({ agent }: { readonly agent: AgentDetail }) {
  const { data: connectors } = useQuery(connectorList);
  const mayRun = useMay('operator');
  const own = connectors?.filter(({ credentialMode }) => credentialMode === 'per_agent') ?? [];
  if (own.length === 0) return null;
  return (
    <Section title="Accounts" lead="Connectors where each agent has a credential of its own.">
      <ul className="divide-y divide-line" aria-label="Accounts">
        {own.map(({ id, name, auth }) => {
          const accounts = agent.credentials.filter(({ connector }) => connector === id);
          const credential = accounts.find(({ isDefault }) => isDefault) ?? accounts[0];
          return (
            <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2">
              <Link
                to="/connectors/$id"
                params={{ id }}
                className="flex-1 basis-40 font-medium hover:underline"
              >
                <PlainLine text={name} most={80} />
              </Link>
              {credential === undefined ? (
                <MissingBadge authType={auth.type} />
              ) : (
                <AccountBadge credential={credential} />
              )}
              <ButtonLink small to="/connectors/$id" params={{ id }} search={{ tab: 'credentials' }}>
                {!mayRun ? 'Look' : credential === undefined ? 'Connect' : 'Manage'}
              </ButtonLink>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
