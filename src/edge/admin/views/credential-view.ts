import type { CredentialView } from '../../../contract/index.js';
import type { CredentialOwner } from '../../../credentials/index.js';
import { stateOf, toTime } from './secret-state.js';

/** A credential, or what is shown of one: neither has more than last characters to give. */
export interface ShownCredential {
  readonly connector: string;
  readonly owner: CredentialOwner;
  readonly values: Readonly<Record<string, { readonly last4: string }>>;
  readonly version: number;
  readonly updatedAt: number;
}

export function toCredentialView({
  connector,
  owner,
  values,
  version,
  updatedAt,
}: ShownCredential): CredentialView {
  const shown = Object.entries(values);
  const only = shown.length === 1 ? shown[0]?.[1].last4 : undefined;
  return {
    connector,
    owner: owner.kind === 'shared' ? 'shared' : owner.agent,
    set: true,
    ...(only !== undefined && only !== '' && { last4: only }),
    values: Object.fromEntries(shown.map(([name, value]) => [name, stateOf(value)])),
    version,
    updatedAt: toTime(updatedAt),
  };
}
