import { toPolicyId, type PolicyId } from '../../kernel/index.js';
import type { Policy, PolicyStore } from '../../governance/index.js';
import type { Db } from '../database.js';
import type { PolicyRow } from '../tables.js';
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

    async add(policy) {
      await db.insertInto('policies').values(toRow(policy)).execute();
    },

    async replace(policy, expectedVersion) {
      const { id, ...columns } = toRow(policy);
      const update = db
        .updateTable('policies')
        .set(columns)
        .where('id', '=', id)
        .where('version', '=', expectedVersion);
      await requireReplaced(await update.executeTakeFirst(), () => row(policy.id));
    },

    async remove(id) {
      await db.deleteFrom('policies').where('id', '=', id).execute();
    },
  };
}

function toRow({ id, version, updatedAt, ...body }: Policy): PolicyRow {
  return { id, version, body: JSON.stringify(body satisfies Body), updated_at: updatedAt };
}

function fromRow({ id, version, body, updated_at }: PolicyRow): Policy {
  return { ...(JSON.parse(body) as Body), id: toPolicyId(id), version, updatedAt: updated_at };
}
