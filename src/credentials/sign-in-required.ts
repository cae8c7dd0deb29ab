import type { Connector } from '../connectors/index.js';
import { HubError } from '../kernel/index.js';
import type { CredentialOwner } from './credential.js';

const SIGN_IN = 'sign_in_required';

/** Only a person can go on from here. Says who, and with what. `step` tells one sign-in for a call from the next. */
export function signInRequired(
  { id }: Pick<Connector, 'id'>,
  owner: CredentialOwner,
  why = 'no account is connected',
  { cause, step }: { readonly cause?: unknown; readonly step?: string } = {},
): HubError {
  const command = `crosspoint connector connect ${id}${owner.kind === 'agent' ? ` --agent ${owner.agent}` : ''}`;
  const who = owner.kind === 'agent' ? `agent ${owner.agent} has` : 'an admin has';
  return new HubError(
    'credential_required',
    `connector ${id}: ${why}; ${who} to sign in with "${command}" or in the console`,
    {
      cause,
      details: {
        reason: SIGN_IN,
        connector: id,
        owner: ownerName(owner),
        ...(step !== undefined && { step }),
      },
    },
  );
}

/** Whether somebody who signs in makes this failure go away. */
export function isSignInRequired(error: unknown): error is HubError {
  return error instanceof HubError && error.details?.['reason'] === SIGN_IN;
}

/** `shared`, or the agent's id. */
export function ownerName(owner: CredentialOwner): string {
  return owner.kind === 'shared' ? 'shared' : owner.agent;
}
