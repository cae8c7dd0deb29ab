import type { SecretState } from '../../../contract/index.js';

/** All that is ever shown of a secret. */
export function stateOf(secret: { readonly last4: string } | undefined): SecretState {
  if (secret === undefined) return { set: false };
  return secret.last4 === '' ? { set: true } : { set: true, last4: secret.last4 };
}

export function toTime(at: number): string {
  return new Date(at).toISOString();
}
