import { toPolicyId } from '../../kernel/index.js';
import type { PolicyHistory, PolicyVersion } from '../../governance/index.js';
import type { Db } from '../database.js';
import type { PolicyVersionRow } from '../tables.js';

/** Versions that are kept of one policy, and policies that are kept after their removal. */
const MOST_VERSIONS = 50;
const MOST_REMOVED = 200;

export function createPolicyHistory(db: Db): PolicyHistory {
  return {
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

/** Keeps a version, and forgets those that are too old. */
export async function noteVersion(
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
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom('policy_versions as later')
            .select('later.version')
            .whereRef('later.policy_id', '=', 'policy_versions.policy_id')
            .whereRef('later.version', '>', 'policy_versions.version'),
        ),
      ),
    )
    .orderBy('at', 'desc')
    .orderBy('policy_id');
}

/** Forgets the policy that was removed before all others, if there are too many. */
export async function forgetRemoved(transaction: Db): Promise<void> {
  const kept = await removedRows(transaction)
    .select('policy_id')
    .limit(MOST_REMOVED + 1)
    .execute();
  const [oldest] = kept.slice(MOST_REMOVED);
  if (oldest !== undefined)
    await transaction.deleteFrom('policy_versions').where('policy_id', '=', oldest.policy_id).execute();
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
