import { createHash } from 'node:crypto';
import { Secret, toAgentId, toConnectorId } from '../../kernel/index.js';
import {
  DEFAULT_ACCOUNT,
  type Credential,
  type CredentialOwner,
  type CredentialSummary,
  type OAuthGrant,
} from '../../credentials/index.js';
import type { Sealer } from '../sealer.js';
import type { CredentialRow } from '../tables.js';

/**
 * Where the values of a credential belong. A grant says to whom its tokens may be shown, so they open beside that grant
 * only. Without one, the default account is named as it was before there were others: what was sealed then still opens.
 */
export function credentialSeal({
  connector_id,
  owner,
  account,
  detail,
}: Pick<CredentialRow, 'connector_id' | 'owner' | 'account' | 'detail'>) {
  const place = [connector_id, owner];
  if (account !== DEFAULT_ACCOUNT || detail !== null) place.push(account);
  if (detail !== null) place.push(createHash('sha256').update(detail).digest('base64url'));
  return { table: 'credentials', record: JSON.stringify(place), field: 'sealed' };
}

const AGENT_PREFIX = 'agent:';

export function toOwnerColumn(owner: CredentialOwner): string {
  return owner.kind === 'shared' ? 'shared' : `${AGENT_PREFIX}${owner.agent}`;
}

function fromOwnerColumn(owner: string): CredentialOwner {
  return owner === 'shared'
    ? { kind: 'shared' }
    : { kind: 'agent', agent: toAgentId(owner.slice(AGENT_PREFIX.length)) };
}

export function toRow(credential: Credential, sealer: Sealer): CredentialRow {
  const { connector, owner, account, isDefault, values, grant, version, updatedAt } = credential;
  const place = {
    connector_id: connector,
    owner: toOwnerColumn(owner),
    account,
    detail: grant === undefined ? null : JSON.stringify(grant),
  };
  const revealed = Object.fromEntries(
    Object.entries(values).map(([name, secret]) => [name, secret.reveal()]),
  );
  return {
    ...place,
    is_default: isDefault ? 1 : 0,
    version,
    sealed: sealer.seal(JSON.stringify(revealed), credentialSeal(place)),
    master_key_id: sealer.activeKeyId,
    updated_at: updatedAt,
  };
}

export function fromRow(row: CredentialRow, sealer: Sealer): Credential {
  const revealed = JSON.parse(sealer.open(row.sealed, credentialSeal(row))) as Readonly<
    Record<string, string>
  >;
  const values = Object.fromEntries(
    Object.entries(revealed).map(([name, value]) => [name, new Secret(value)]),
  );
  return {
    connector: toConnectorId(row.connector_id),
    owner: fromOwnerColumn(row.owner),
    account: row.account,
    isDefault: row.is_default === 1,
    values,
    grant: row.detail === null ? undefined : toGrant(row.detail),
    version: row.version,
    updatedAt: row.updated_at,
  };
}

/** JSON leaves out what is undefined; the type does not. */
function toGrant(detail: string): OAuthGrant {
  const grant = JSON.parse(detail) as OAuthGrant;
  return { ...grant, expiresAt: grant.expiresAt, problem: grant.problem };
}

export function toSummary({ values, ...rest }: Credential): CredentialSummary {
  const shown = Object.entries(values).map(
    ([name, { last4 }]) => [name, { set: true as const, last4 }] as const,
  );
  return { ...rest, values: Object.fromEntries(shown) };
}
