import { HubError, Secret, toAgentId, toConnectorId, type ConnectorId } from '../../kernel/index.js';
import type {
  Credential,
  CredentialOwner,
  CredentialStore,
  CredentialSummary,
} from '../../credentials/index.js';
import type { Db } from '../database.js';
import type { Sealer } from '../sealer.js';
import type { CredentialRow } from '../tables.js';

export function createCredentialStore(db: Db, sealer: Sealer): CredentialStore {
  const one = (connector: ConnectorId, owner: CredentialOwner) =>
    db
      .selectFrom('credentials')
      .selectAll()
      .where('connector_id', '=', connector)
      .where('owner', '=', toOwnerColumn(owner))
      .executeTakeFirst();
  return {
    async find(connector, owner) {
      const row = await one(connector, owner);
      return row === undefined ? undefined : fromRow(row, sealer);
    },

    async list(connector) {
      const all = db.selectFrom('credentials').selectAll().orderBy('connector_id').orderBy('owner');
      const rows = await (
        connector === undefined ? all : all.where('connector_id', '=', connector)
      ).execute();
      return rows.map((row) => toSummary(fromRow(row, sealer)));
    },

    async save(credential, expectedVersion) {
      const row = toRow(credential, sealer);
      if (expectedVersion === undefined) await put(db, row);
      else if (!(await replace(db, row, expectedVersion))) {
        throw new HubError('precondition_failed', 'the credential was changed meanwhile: read it again');
      }
    },

    async remove(connector, owner) {
      const rows = db
        .deleteFrom('credentials')
        .where('connector_id', '=', connector)
        .where('owner', '=', toOwnerColumn(owner));
      return (await rows.executeTakeFirst()).numDeletedRows > 0n;
    },

    async removeAllOf(agent) {
      await db
        .deleteFrom('credentials')
        .where('owner', '=', toOwnerColumn({ kind: 'agent', agent }))
        .execute();
    },

    async removeAllFor(connector) {
      await db.deleteFrom('credentials').where('connector_id', '=', connector).execute();
    },
  };
}

async function put(db: Db, row: CredentialRow): Promise<void> {
  const { connector_id, owner, ...columns } = row;
  await db
    .insertInto('credentials')
    .values({ connector_id, owner, ...columns })
    .onConflict((conflict) => conflict.columns(['connector_id', 'owner']).doUpdateSet(columns))
    .execute();
}

async function replace(db: Db, row: CredentialRow, expectedVersion: number): Promise<boolean> {
  const { connector_id, owner, ...columns } = row;
  if (expectedVersion === 0) {
    const insert = db.insertInto('credentials').values(row);
    const added = await insert.onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
    return added.numInsertedOrUpdatedRows === 1n;
  }
  const changed = await db
    .updateTable('credentials')
    .set(columns)
    .where('connector_id', '=', connector_id)
    .where('owner', '=', owner)
    .where('version', '=', expectedVersion)
    .executeTakeFirst();
  return changed.numUpdatedRows === 1n;
}

/** Where the values of a credential belong. */
export function credentialSeal(connector: string, owner: string) {
  return { table: 'credentials', record: JSON.stringify([connector, owner]), field: 'sealed' };
}

const AGENT_PREFIX = 'agent:';

function toOwnerColumn(owner: CredentialOwner): string {
  return owner.kind === 'shared' ? 'shared' : `${AGENT_PREFIX}${owner.agent}`;
}

function fromOwnerColumn(owner: string): CredentialOwner {
  return owner === 'shared'
    ? { kind: 'shared' }
    : { kind: 'agent', agent: toAgentId(owner.slice(AGENT_PREFIX.length)) };
}

function toRow({ connector, owner, values, version, updatedAt }: Credential, sealer: Sealer): CredentialRow {
  const ownerColumn = toOwnerColumn(owner);
  const revealed = Object.fromEntries(
    Object.entries(values).map(([name, secret]) => [name, secret.reveal()]),
  );
  return {
    connector_id: connector,
    owner: ownerColumn,
    version,
    sealed: sealer.seal(JSON.stringify(revealed), credentialSeal(connector, ownerColumn)),
    master_key_id: sealer.activeKeyId,
    updated_at: updatedAt,
  };
}

function fromRow(
  { connector_id, owner, version, sealed, updated_at }: CredentialRow,
  sealer: Sealer,
): Credential {
  const revealed = JSON.parse(sealer.open(sealed, credentialSeal(connector_id, owner))) as Readonly<
    Record<string, string>
  >;
  const values = Object.fromEntries(
    Object.entries(revealed).map(([name, value]) => [name, new Secret(value)]),
  );
  return {
    connector: toConnectorId(connector_id),
    owner: fromOwnerColumn(owner),
    values,
    version,
    updatedAt: updated_at,
  };
}

function toSummary({ values, ...rest }: Credential): CredentialSummary {
  const shown = Object.entries(values).map(
    ([name, { last4 }]) => [name, { set: true as const, last4 }] as const,
  );
  return { ...rest, values: Object.fromEntries(shown) };
}
