import { HubError, toConnectorId, type AgentId, type ConnectorId } from '../../kernel/index.js';
import type { Credential, CredentialOwner, CredentialStore } from '../../credentials/index.js';
import type { Database, Db } from '../database.js';
import type { Sealer } from '../sealer.js';
import type { CredentialRow } from '../tables.js';
import { fromRow, toOwnerColumn, toRow, toSummary } from './credential-rows.js';

/** Writes to one connector's credentials come one after the other, so that each owner has exactly one default account. */
export function createCredentialStore(database: Database, sealer: Sealer): CredentialStore {
  const { db } = database;
  const inTurn: InTurn = (connector, work) =>
    db.transaction().execute(async (transaction) => {
      await database.lock(transaction, `credentials of ${connector}`);
      return work(transaction);
    });
  return {
    async find(connector, owner, account) {
      const rows = ofOwner(db, connector, owner).selectAll();
      const row = await (
        account === undefined ? rows.where('is_default', '=', 1) : rows.where('account', '=', account)
      ).executeTakeFirst();
      return row === undefined ? undefined : fromRow(row, sealer);
    },

    async list(connector) {
      const all = db.selectFrom('credentials').selectAll();
      const some = connector === undefined ? all : all.where('connector_id', '=', connector);
      const rows = await some.orderBy('connector_id').orderBy('owner').orderBy('account').execute();
      return rows.map((row) => toSummary(fromRow(row, sealer)));
    },

    save: (credential, expectedVersion) =>
      inTurn(credential.connector, (transaction) => save(transaction, sealer, credential, expectedVersion)),
    choose: (connector, owner, account) =>
      inTurn(connector, (transaction) => choose(transaction, connector, owner, account)),
    remove: (connector, owner, account) =>
      inTurn(connector, (transaction) => remove(transaction, connector, owner, account)),
    removeAllOf: (agent) => removeAllOf(db, inTurn, agent),

    async removeAllFor(connector) {
      await inTurn(connector, (transaction) =>
        transaction.deleteFrom('credentials').where('connector_id', '=', connector).execute(),
      );
    },
  };
}

type InTurn = <Result>(connector: ConnectorId, work: (transaction: Db) => Promise<Result>) => Promise<Result>;

function ofOwner(db: Db, connector: ConnectorId, owner: CredentialOwner) {
  return db
    .selectFrom('credentials')
    .where('connector_id', '=', connector)
    .where('owner', '=', toOwnerColumn(owner));
}

async function save(
  db: Db,
  sealer: Sealer,
  credential: Credential,
  expectedVersion: number | undefined,
): Promise<void> {
  const { connector, owner, account } = credential;
  const known = await ofOwner(db, connector, owner).select(['account', 'version', 'is_default']).execute();
  const before = known.find((row) => row.account === account);
  if (expectedVersion !== undefined && (before?.version ?? 0) !== expectedVersion)
    throw new HubError('precondition_failed', 'the credential was changed meanwhile: read it again');
  const replacesKnown = before !== undefined && expectedVersion !== undefined;
  const wanted = replacesKnown ? before.is_default === 1 : credential.isDefault;
  const isDefault = wanted || !known.some((row) => row.account !== account && row.is_default === 1);
  if (isDefault) await dropDefault(db, connector, owner);
  await put(db, toRow({ ...credential, isDefault }, sealer));
}

async function put(db: Db, row: CredentialRow): Promise<void> {
  const { connector_id, owner, account, ...columns } = row;
  await db
    .insertInto('credentials')
    .values({ connector_id, owner, account, ...columns })
    .onConflict((conflict) => conflict.columns(['connector_id', 'owner', 'account']).doUpdateSet(columns))
    .execute();
}

async function dropDefault(db: Db, connector: ConnectorId, owner: CredentialOwner): Promise<void> {
  await db
    .updateTable('credentials')
    .set({ is_default: 0 })
    .where('connector_id', '=', connector)
    .where('owner', '=', toOwnerColumn(owner))
    .where('is_default', '=', 1)
    .execute();
}

async function choose(
  db: Db,
  connector: ConnectorId,
  owner: CredentialOwner,
  account: string,
): Promise<boolean> {
  const known = await ofOwner(db, connector, owner)
    .select('account')
    .where('account', '=', account)
    .executeTakeFirst();
  if (known === undefined) return false;
  await dropDefault(db, connector, owner);
  await db
    .updateTable('credentials')
    .set({ is_default: 1 })
    .where('connector_id', '=', connector)
    .where('owner', '=', toOwnerColumn(owner))
    .where('account', '=', account)
    .execute();
  return true;
}

async function remove(
  db: Db,
  connector: ConnectorId,
  owner: CredentialOwner,
  account: string | undefined,
): Promise<boolean> {
  const all = db
    .deleteFrom('credentials')
    .where('connector_id', '=', connector)
    .where('owner', '=', toOwnerColumn(owner));
  const removed = await (account === undefined ? all : all.where('account', '=', account))
    .returning('is_default')
    .execute();
  if (account !== undefined && removed[0]?.is_default === 1) {
    const next = await ofOwner(db, connector, owner)
      .select('account')
      .orderBy('updated_at', 'desc')
      .orderBy('account')
      .limit(1)
      .executeTakeFirst();
    if (next !== undefined) await choose(db, connector, owner, next.account);
  }
  return removed.length > 0;
}

async function removeAllOf(db: Db, inTurn: InTurn, agent: AgentId): Promise<void> {
  const owner: CredentialOwner = { kind: 'agent', agent };
  const rows = await db
    .selectFrom('credentials')
    .select('connector_id')
    .distinct()
    .where('owner', '=', toOwnerColumn(owner))
    .execute();
  for (const { connector_id } of rows) {
    const connector = toConnectorId(connector_id);
    await inTurn(connector, (transaction) => remove(transaction, connector, owner, undefined));
  }
}
