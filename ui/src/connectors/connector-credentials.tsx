import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { agentList } from '../api/agents.js';
import { useConnectorWrites, type ConnectorDetail, type CredentialView } from '../api/connectors.js';
import { useMay } from '../api/use-session.js';
import { Badge } from '../shared/badge.js';
import { Button } from '../shared/button.js';
import { ConfirmDialog } from '../shared/dialog.js';
import { ProblemNotice } from '../shared/notice.js';
import { EmptyState, Loading } from '../shared/page.js';
import { PlainLine } from '../shared/plain.js';
import { Ago } from '../shared/time.js';
import { CredentialDialog } from './credential-dialog.js';

interface Owner {
  readonly id: string;
  readonly label: string;
}

const SHARED: Owner = { id: 'shared', label: 'All agents' };

/** Who has a credential for this connector: everybody together, or each agent. */
export function ConnectorCredentials({ connector }: { readonly connector: ConnectorDetail }) {
  const { auth, credentialMode, transport } = connector;
  const { data: agents } = useQuery(agentList);
  if (transport === 'stdio')
    return (
      <EmptyState title="A process needs no credential here">
        What it needs comes from its environment, in the operator's configuration
        {Object.keys(connector.env ?? {}).length > 0 && `: ${Object.keys(connector.env ?? {}).join(', ')}`}.
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
    credentialMode === 'per_agent'
      ? agents.map(({ id, name }) => ({ id, label: name === id ? id : `${name} (${id})` }))
      : [SHARED];
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
            <CredentialRow
              connector={connector}
              owner={owner}
              credential={connector.credentials.find((each) => each.owner === owner.id)}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

function CredentialRow({
  connector,
  owner,
  credential,
}: {
  readonly connector: ConnectorDetail;
  readonly owner: Owner;
  readonly credential: CredentialView | undefined;
}) {
  const mayRun = useMay('operator');
  const [open, setOpen] = useState<'store' | 'remove'>();
  const { connect, removeCredential } = useConnectorWrites();
  const isOAuth = connector.auth.type === 'oauth';
  const request = { id: connector.id, ...(owner.id !== SHARED.id && { agent: owner.id }) };
  const begin = () =>
    connect.mutate(request, {
      onSuccess: ({ authorizationUrl }) => window.location.assign(authorizationUrl),
    });
  return (
    <div className="grid gap-2 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-48">
          <PlainLine text={owner.label} className="font-medium" most={80} />{' '}
          <CredentialState connector={connector} credential={credential} />
          {credential !== undefined && (
            <p className="text-sm text-muted">
              stored <Ago at={credential.updatedAt} />
            </p>
          )}
        </div>
        {mayRun && (
          <div className="flex gap-2">
            {isOAuth ? (
              <Button
                small
                kind={credential === undefined ? 'primary' : 'plain'}
                busy={connect.isPending}
                onClick={begin}
              >
                {credential === undefined ? 'Connect' : 'Connect again'}
              </Button>
            ) : (
              connector.auth.type !== 'client_credentials' && (
                <Button small onClick={() => setOpen('store')}>
                  {credential === undefined ? 'Store' : 'Replace'}
                </Button>
              )
            )}
            {credential !== undefined && (
              <Button small kind="danger" onClick={() => setOpen('remove')}>
                Forget
              </Button>
            )}
          </div>
        )}
      </div>
      {connect.error !== null && <ProblemNotice error={connect.error} />}
      {open === 'store' && (
        <CredentialDialog connector={connector} owner={owner} onClose={() => setOpen(undefined)} />
      )}
      {open === 'remove' && (
        <ConfirmDialog
          title={`Forget the credential of ${owner.label}?`}
          action="Forget it"
          busy={removeCredential.isPending}
          problem={removeCredential.error !== null && <ProblemNotice error={removeCredential.error} />}
          onClose={() => setOpen(undefined)}
          onConfirm={() =>
            removeCredential.mutate(
              { id: connector.id, owner: owner.id },
              { onSuccess: () => setOpen(undefined) },
            )
          }
        >
          Calls that need it will fail until another one is stored.
        </ConfirmDialog>
      )}
    </div>
  );
}

function CredentialState({
  connector,
  credential,
}: {
  readonly connector: ConnectorDetail;
  readonly credential: CredentialView | undefined;
}) {
  if (credential !== undefined)
    return (
      <Badge tone="good">{credential.last4 === undefined ? 'set' : `set, ends in ${credential.last4}`}</Badge>
    );
  if (connector.auth.type === 'client_credentials') return <Badge>made when needed</Badge>;
  return <Badge tone="warn">{connector.auth.type === 'oauth' ? 'needs sign-in' : 'not set'}</Badge>;
}
