import { toPolicyId, type PolicyId } from '../../kernel/index.js';
import type { Policy, PolicyStore, PolicyVersion } from '../../governance/index.js';
import type { Db } from '../database.js';
import type { PolicyRow, PolicyVersionRow } from '../tables.js';
import { requireReplaced } from './replace-row.js';

type Body = Omit<Policy, 'id' | 'version' | 'updatedAt'>;

/** Versions that are kept of one policy, and policies that are kept after their removal. */
const MOST_VERSIONS = 50;
const MOST_REMOVED = 200;

export function createPolicyStore(db: Db): PolicyStore {
  const row = (id: PolicyId) => db.selectFrom('policies').selectAll().where('id', '=', id).executeTakeFirst();
  return {
    async list() {
      return (await db.selectFrom('policies').selectAll().orderBy('id').execute()).map(fromRow);
    },

    async find(id) {
      const found = await row(id);
      return found === undefined ? undefined : fromRow(found);
    },

    async add(policy, by) {
      await db.transaction().execute(async (transaction) => {
        await transaction.insertInto('policies').values(toRow(policy)).execute();
        await note(transaction, { ...policy, policy: policy.id, at: policy.updatedAt, by });
      });
    },

    async replace(policy, expectedVersion, by) {
      const { id, ...columns } = toRow(policy);
      await db.transaction().execute(async (transaction) => {
        const update = transaction
          .updateTable('policies')
          .set(columns)
          .where('id', '=', id)
          .where('version', '=', expectedVersion);
        await requireReplaced(await update.executeTakeFirst(), () =>
          transaction.selectFrom('policies').select('id').where('id', '=', id).executeTakeFirst(),
        );
        await note(transaction, { ...policy, policy: policy.id, at: policy.updatedAt, by });
      });
    },

    async remove(id, { at, by }) {
      await db.transaction().execute(async (transaction) => {
        const gone = transaction.deleteFrom('policies').where('id', '=', id).returning('version');
        const before = await gone.executeTakeFirst();
        if (before === undefined) return;
        const version = before.version + 1;
        await note(transaction, { policy: id, version, at, by, text: undefined });
        await forgetRemoved(transaction);
      });
    },

    async versions(id, { before, limit }) {
      let query = db.selectFrom('policy_versions').selectAll().where('policy_id', '=', id);
      if (before !== undefined) query = query.where('version', '<', before);
      return (await query.orderBy('version', 'desc').limit(limit).execute()).map(fromVersionRow);
    },

    async findVersion(id, version) {
      const found = await db
        .selectFrom('policy_versions')
        .selectAll()
        .where('policy_id', '=', id)
        .where('version', '=', version)
        .executeTakeFirst();
      return found === undefined ? undefined : fromVersionRow(found);
    },

    async removed() {
      return (await removedRows(db).selectAll().limit(MOST_REMOVED).execute()).map(fromVersionRow);
    },
  };
}

async function note(
  transaction: Db,
  { policy, version, at, by = null, text = null }: Nullable<PolicyVersion>,
): Promise<void> {
  const row: PolicyVersionRow = {
    policy_id: policy,
    version,
    at,
    admin: by,
    text: text === null ? null : JSON.stringify(text),
  };
  await transaction.insertInto('policy_versions').values(row).execute();
  await transaction
    .deleteFrom('policy_versions')
    .where('policy_id', '=', policy)
    .where('version', '<=', version - MOST_VERSIONS)
    .execute();
}

type Nullable<Value> = {
  readonly [Name in keyof Value]: Value[Name] | (undefined extends Value[Name] ? null : never);
};

/** The removals of policies that did not come back since, newest first. */
function removedRows(db: Db) {
  return db
    .selectFrom('policy_versions')
    .where('text', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('policies')
            .select('policies.id')
            .whereRef('policies.id', '=', 'policy_versions.policy_id'),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('policy_versions as later')
            .select('later.version')
            .whereRef('later.policy_id', '=', 'policy_versions.policy_id')
            .whereRef('later.version', '>', 'policy_versions.version'),
        ),
      ),
    )
    .orderBy('at', 'desc')
    .orderBy('policy_id');
}

async function forgetRemoved(transaction: Db): Promise<void> {
  const kept = await removedRows(transaction)
    .select('policy_id')
    .limit(MOST_REMOVED + 1)
    .execute();
  const [oldest] = kept.slice(MOST_REMOVED);
  if (oldest !== undefined)
    await transaction.deleteFrom('policy_versions').where('policy_id', '=', oldest.policy_id).execute();
}

function toRow({ id, version, updatedAt, ...body }: Policy): PolicyRow {
  return { id, version, body: JSON.stringify(body satisfies Body), updated_at: updatedAt };
}

function fromRow({ id, version, body, updated_at }: PolicyRow): Policy {
  return { ...(JSON.parse(body) as Body), id: toPolicyId(id), version, updatedAt: updated_at };
}

function fromVersionRow({ policy_id, version, at, admin, text }: PolicyVersionRow): PolicyVersion {
  return {
    policy: toPolicyId(policy_id),
    version,
    at,
    by: admin ?? undefined,
    text: text === null ? undefined : (JSON.parse(text) as string),
  };
}
