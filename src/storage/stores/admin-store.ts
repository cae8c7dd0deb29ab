import type { AdminAccount, AdminStore } from '../../agents/index.js';
import type { Db } from '../database.js';
import type { AdminRow } from '../tables.js';

type Body = Pick<AdminAccount, 'name' | 'role' | 'last4'>;

export function createAdminStore(db: Db): AdminStore {
  const find = async (column: 'id' | 'token_digest', value: string): Promise<AdminAccount | undefined> => {
    const row = await db.selectFrom('admins').selectAll().where(column, '=', value).executeTakeFirst();
    return row === undefined ? undefined : fromRow(row);
  };
  return {
    async list() {
      return (await db.selectFrom('admins').selectAll().orderBy('id').execute()).map(fromRow);
    },

    find: (id) => find('id', id),
    findByTokenDigest: (digest) => find('token_digest', digest),

    async add(account) {
      await db.insertInto('admins').values(toRow(account)).execute();
    },

    async remove(id) {
      const { numDeletedRows } = await db.deleteFrom('admins').where('id', '=', id).executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

function toRow({ id, tokenDigest, createdAt, ...body }: AdminAccount): AdminRow {
  return {
    id,
    token_digest: tokenDigest ?? null,
    body: JSON.stringify(body satisfies Body),
    created_at: createdAt,
  };
}

function fromRow({ id, token_digest, body, created_at }: AdminRow): AdminAccount {
  return {
    ...(JSON.parse(body) as Body),
    id,
    tokenDigest: token_digest ?? undefined,
    createdAt: created_at,
  };
}
