import type { Connector } from '../../../connectors/index.js';
import type { CredentialView } from '../../../contract/index.js';
import {
  credentialState,
  DEFAULT_ACCOUNT,
  ownerName,
  type CredentialSummary,
} from '../../../credentials/index.js';
import { stateOf, toTime } from './secret-state.js';

/** A credential, or what is shown of one: neither has more than last characters to give. */
export type ShownCredential = Omit<CredentialSummary, 'values'> & {
  readonly values: Readonly<Record<string, { readonly last4: string }>>;
};

export function toCredentialView(
  credential: ShownCredential,
  connector: Connector,
  now: number,
): CredentialView {
  const { owner, account, isDefault, values, grant, version, updatedAt } = credential;
  const shown = Object.entries(values);
  const only = shown.length === 1 ? shown[0]?.[1].last4 : undefined;
  return {
    connector: connector.id,
    owner: ownerName(owner),
    account,
    isDefault,
    ...credentialState(credential, connector, now),
    ...(grant !== undefined && {
      issuer: grant.issuer,
      scopes: [...grant.scopes],
      ...(grant.expiresAt !== undefined && { expiresAt: toTime(grant.expiresAt) }),
    }),
    set: true,
    ...(only !== undefined && only !== '' && { last4: only }),
    values: Object.fromEntries(shown.map(([name, value]) => [name, stateOf(value)])),
    version,
    updatedAt: toTime(updatedAt),
  };
}

/** What an operator wrote beside an address, as if it were stored. */
export function toShownCredential(
  { id, version, updatedAt }: Connector,
  values: ShownCredential['values'],
): ShownCredential {
  return {
    connector: id,
    owner: { kind: 'shared' },
    account: DEFAULT_ACCOUNT,
    isDefault: true,
    values,
    grant: undefined,
    version,
    updatedAt,
  };
}
