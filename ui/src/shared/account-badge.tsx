import type { CredentialView } from '../api/connectors.js';
import { Badge } from './badge.js';

const STATES = {
  valid: { tone: 'good', label: 'connected' },
  expiring: { tone: 'good', label: 'connected, renewed when used' },
  needs_sign_in: { tone: 'warn', label: 'needs sign-in' },
  failed: { tone: 'bad', label: 'failed, tried again' },
} as const;

/** How a credential is: what was stored by its end, what came from a sign-in by its state. */
export function AccountBadge({ credential }: { readonly credential: CredentialView }) {
  const { state, issuer, last4 } = credential;
  const { tone, label } = STATES[state];
  const isStored = issuer === undefined && state === 'valid';
  return (
    <Badge tone={tone}>{isStored ? (last4 === undefined ? 'set' : `set, ends in ${last4}`) : label}</Badge>
  );
}

export function MissingBadge({ authType }: { readonly authType: string }) {
  if (authType === 'client_credentials') return <Badge>made when needed</Badge>;
  return <Badge tone="warn">{authType === 'oauth' ? 'needs sign-in' : 'not set'}</Badge>;
}
