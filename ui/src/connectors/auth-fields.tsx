import type { ConnectorView } from '../api/connectors.js';
import { Badge } from '../shared/badge.js';
import { SelectField, TextArea, TextField } from '../shared/field.js';
import {
  AUTH_TYPES,
  CREDENTIAL_MODES,
  type AuthType,
  type ConnectorDraft,
  type CredentialMode,
} from './connector-draft.js';

interface AuthFieldsProps {
  readonly draft: ConnectorDraft;
  readonly before: ConnectorView | undefined;
  readonly onChange: (change: Partial<ConnectorDraft>) => void;
}

/** What lets the hub in, and whose it is. */
export function AuthFields({ draft, before, onChange }: AuthFieldsProps) {
  return (
    <fieldset className="grid gap-4">
      <legend className="sr-only">Credential</legend>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="What the server asks for"
          choices={AUTH_TYPES}
          value={draft.authType}
          onText={(value) => onChange({ authType: value as AuthType })}
        />
        {draft.authType !== 'none' && (
          <SelectField
            label="Whose credential"
            choices={CREDENTIAL_MODES}
            value={draft.credentialMode}
            onText={(value) => onChange({ credentialMode: value as CredentialMode })}
          />
        )}
      </div>
      <Secrets draft={draft} before={before} onChange={onChange} />
    </fieldset>
  );
}

function Secrets({ draft, before, onChange }: AuthFieldsProps) {
  const perAgent = draft.credentialMode === 'per_agent';
  switch (draft.authType) {
    case 'none':
      return null;
    case 'bearer':
    case 'api_key':
      return (
        <div className="grid gap-4 sm:grid-cols-2">
          {draft.authType === 'api_key' && (
            <TextField
              label="Header"
              required
              value={draft.header}
              onText={(header) => onChange({ header })}
            />
          )}
          {perAgent ? (
            <p className="self-end text-sm text-muted">
              Each agent's own {draft.authType === 'bearer' ? 'token' : 'key'} is stored on the page of the
              connector, under Credentials.
            </p>
          ) : (
            <TextField
              label={
                <>
                  {draft.authType === 'bearer' ? 'Token' : 'Key'} <SetBadge draft={draft} before={before} />
                </>
              }
              type="password"
              autoComplete="new-password"
              hint={
                before === undefined
                  ? 'Kept encrypted; it is never shown again.'
                  : 'Leave blank to keep the stored one.'
              }
              value={draft.secret}
              onText={(secret) => onChange({ secret })}
            />
          )}
        </div>
      );
    case 'header':
      return (
        <TextArea
          label="Headers"
          rows={4}
          hint="Name: value, one to a line. A value that is left blank stays as it is stored."
          value={draft.headerLines}
          onText={(headerLines) => onChange({ headerLines })}
        />
      );
    case 'oauth':
    case 'client_credentials':
      return <OAuthFields draft={draft} before={before} onChange={onChange} />;
  }
}

function OAuthFields({ draft, before, onChange }: AuthFieldsProps) {
  const stored =
    before?.auth.type === 'oauth' || before?.auth.type === 'client_credentials' ? before.auth.settings : [];
  const needed = draft.authType === 'client_credentials';
  return (
    <div className="grid gap-3">
      {!needed && (
        <p className="text-sm text-muted">
          After it is added, Connect takes you to the service to sign in. Most services need nothing else.
        </p>
      )}
      <details className="panel px-4 py-3" open={needed}>
        <summary className="font-medium">
          OAuth settings{stored.length > 0 && ` (set: ${stored.join(', ')})`}
        </summary>
        <div className="mt-3 grid gap-4 sm:grid-cols-2">
          <TextField
            label="Client id"
            hint="Only where the service gave you one."
            value={draft.clientId}
            onText={(clientId) => onChange({ clientId })}
          />
          <TextField
            label="Client secret"
            type="password"
            autoComplete="new-password"
            hint={stored.includes('clientSecret') ? 'Leave blank to keep the stored one.' : undefined}
            value={draft.clientSecret}
            onText={(clientSecret) => onChange({ clientSecret })}
          />
          <TextField
            label="Scopes"
            hint="With spaces between; otherwise what the service asks for."
            value={draft.scopes}
            onText={(scopes) => onChange({ scopes })}
          />
        </div>
      </details>
    </div>
  );
}

/** Whether there is a secret, and how it ends. */
function SetBadge({ draft, before }: Pick<AuthFieldsProps, 'draft' | 'before'>) {
  if (before === undefined || before.auth.type !== draft.authType) return null;
  const state =
    before.auth.type === 'bearer'
      ? before.auth.token
      : before.auth.type === 'api_key'
        ? before.auth.value
        : undefined;
  if (state === undefined) return null;
  if (!state.set) return <Badge tone="warn">not set</Badge>;
  return <Badge tone="good">{state.last4 === undefined ? 'set' : `set, ends in ${state.last4}`}</Badge>;
}
