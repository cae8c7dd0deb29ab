import { toPolicyId, type PolicyId } from '../../kernel/index.js';
import type { Policy, PolicyStore } from '../../governance/index.js';
import type { Db } from '../database.js';
import type { PolicyRow } from '../tables.js';
import { createPolicyHistory, forgetRemoved, noteVersion } from './policy-history.js';
import { requireReplaced } from './replace-row.js';

type Body = Omit<Policy, 'id' | 'version' | 'updatedAt'>;

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
        await noteVersion(transaction, { ...policy, policy: policy.id, at: policy.updatedAt, by });
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
        await noteVersion(transaction, { ...policy, policy: policy.id, at: policy.updatedAt, by });
      });
    },

    async remove(id, { at, by }) {
      await db.transaction().execute(async (transaction) => {
        const gone = transaction.deleteFrom('policies').where('id', '=', id).returning('version');
        const before = await gone.executeTakeFirst();
        if (before === undefined) return;
        const version = before.version + 1;
        await noteVersion(transaction, { policy: id, version, at, by, text: undefined });
        await forgetRemoved(transaction);
      });
    },

    ...createPolicyHistory(db),
  };
}

function toRow({ id, version, updatedAt, ...body }: Policy): PolicyRow {
  return { id, version, body: JSON.stringify(body satisfies Body), updated_at: updatedAt };
}

function fromRow({ id, version, body, updated_at }: PolicyRow): Policy {
  return { ...(JSON.parse(body) as Body), id: toPolicyId(id), version, updatedAt: updated_at };
}
