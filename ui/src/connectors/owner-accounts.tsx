import { useState } from 'react';
import { useConnectorWrites, type ConnectorDetail, type CredentialView } from '../api/connectors.js';
import { useMay } from '../api/use-session.js';
import { AccountBadge, MissingBadge } from '../shared/account-badge.js';
import { Badge } from '../shared/badge.js';
import { Button } from '../shared/button.js';
import { ConfirmDialog } from '../shared/dialog.js';
import { ProblemNotice } from '../shared/notice.js';
import { PlainLine } from '../shared/plain.js';
import { Ago, ExactTime } from '../shared/time.js';
import { AccountNameDialog } from './account-name-dialog.js';
import { CredentialDialog } from './credential-dialog.js';

export interface Owner {
  readonly id: string;
  readonly label: string;
}

interface OwnerAccountsProps {
  readonly connector: ConnectorDetail;
  readonly owner: Owner;
  readonly accounts: readonly CredentialView[];
}

/** The accounts of one owner, and the way to another. */
export function OwnerAccounts({ connector, owner, accounts }: OwnerAccountsProps) {
  const mayRun = useMay('operator');
  const { connect } = useConnectorWrites();
  const [storing, setStoring] = useState(false);
  const [naming, setNaming] = useState(false);
  const { type } = connector.auth;
  const missing = accounts.length === 0;
  function begin(account?: string): void {
    const request = {
      id: connector.id,
      ...(owner.id !== 'shared' && { agent: owner.id }),
      ...(account !== undefined && { account }),
    };
    connect.mutate(request, {
      onSuccess: ({ authorizationUrl }) => window.location.assign(authorizationUrl),
    });
  }
  return (
    <div className="grid gap-2 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p className="min-w-0 flex-1 basis-48">
          <PlainLine text={owner.label} className="font-medium" most={80} />{' '}
          {owner.id !== 'shared' && owner.id !== owner.label && (
            <span className="text-sm text-muted">{owner.id} </span>
          )}
          {missing && <MissingBadge authType={type} />}
        </p>
        {mayRun && type === 'oauth' && (
          <div className="flex flex-wrap gap-2">
            <Button
              small
              kind={missing ? 'primary' : 'plain'}
              busy={connect.isPending}
              onClick={() => begin()}
            >
              {missing ? 'Connect' : 'Connect again'}
            </Button>
            {!missing && (
              <Button small onClick={() => setNaming(true)}>
                Connect another account
              </Button>
            )}
          </div>
        )}
        {mayRun && type !== 'oauth' && type !== 'client_credentials' && (
          <Button small kind={missing ? 'primary' : 'plain'} onClick={() => setStoring(true)}>
            {missing ? 'Store' : 'Replace'}
          </Button>
        )}
      </div>
      {connect.error !== null && !naming && <ProblemNotice error={connect.error} />}
      {naming && (
        <AccountNameDialog
          taken={accounts.map(({ account }) => account)}
          busy={connect.isPending}
          problem={connect.error !== null && <ProblemNotice error={connect.error} />}
          onName={begin}
          onClose={() => setNaming(false)}
        />
      )}
      {accounts.length > 0 && (
        <ul className="grid gap-2" aria-label={`Accounts of ${owner.label}`}>
          {accounts.map((credential) => (
            <li key={credential.account}>
              <AccountRow connector={connector} credential={credential} several={accounts.length > 1} />
            </li>
          ))}
        </ul>
      )}
      {storing && <CredentialDialog connector={connector} owner={owner} onClose={() => setStoring(false)} />}
    </div>
  );
}

function AccountRow({
  connector,
  credential,
  several,
}: {
  readonly connector: ConnectorDetail;
  readonly credential: CredentialView;
  readonly several: boolean;
}) {
  const mayRun = useMay('operator');
  const { chooseAccount, removeAccount } = useConnectorWrites();
  const [asking, setAsking] = useState(false);
  const { owner, account, isDefault, reason, issuer, expiresAt, updatedAt } = credential;
  const names = { id: connector.id, owner, account };
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <div className="min-w-0 flex-1 basis-48">
        {several && <PlainLine text={account} className="mr-2" most={64} />}
        <AccountBadge credential={credential} />{' '}
        {several && isDefault && <Badge tone="accent">used for calls</Badge>}
        <p className="text-sm text-muted">
          stored <Ago at={updatedAt} />
          {issuer !== undefined && (
            <>
              , by <PlainLine text={issuer} most={100} />
            </>
          )}
          {expiresAt !== undefined && (
            <>
              , until <ExactTime at={expiresAt} />
            </>
          )}
        </p>
        {reason !== undefined && (
          <p className="text-sm text-bad">
            <PlainLine text={reason} />
          </p>
        )}
      </div>
      {mayRun && (
        <div className="flex gap-2">
          {several && !isDefault && (
            <Button small busy={chooseAccount.isPending} onClick={() => chooseAccount.mutate(names)}>
              Use for calls
            </Button>
          )}
          <Button small kind="danger" onClick={() => setAsking(true)}>
            Forget
          </Button>
        </div>
      )}
      {asking && (
        <ConfirmDialog
          title="Forget this credential?"
          action="Forget it"
          busy={removeAccount.isPending}
          problem={removeAccount.error !== null && <ProblemNotice error={removeAccount.error} />}
          onClose={() => setAsking(false)}
          onConfirm={() => removeAccount.mutate(names, { onSuccess: () => setAsking(false) })}
        >
          What came from a sign-in is revoked at the service too. Calls that need it fail until there is
          another one.
        </ConfirmDialog>
      )}
    </div>
  );
}
