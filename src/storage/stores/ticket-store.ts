import { createHash } from 'node:crypto';
import type { ExpressionBuilder } from 'kysely';
import type { Clock, Ticket, TicketStore } from '../../kernel/index.js';
import type { Db } from '../database.js';
import type { Sealer } from '../sealer.js';
import type { TicketRow, Tables } from '../tables.js';

const PAGE = 500;

/** Each of `add`, `take` and `use` is one statement: of several callers, in whatever process, the database lets one win. */
export function createTicketStore(db: Db, sealer: Sealer, clock: Clock): TicketStore {
  return {
    ...createReader(db, sealer, clock),

    async put(ticket) {
      const { kind, digest, ...columns } = toRow(ticket, sealer);
      await db
        .insertInto('tickets')
        .values({ kind, digest, ...columns })
        .onConflict((conflict) => conflict.columns(['kind', 'digest']).doUpdateSet(columns))
        .execute();
    },

    async add(ticket) {
      const added = await db
        .insertInto('tickets')
        .values(toRow(ticket, sealer))
        .onConflict((conflict) => conflict.columns(['kind', 'digest']).doNothing())
        .executeTakeFirst();
      return added.numInsertedOrUpdatedRows === 1n;
    },

    async take(kind, name) {
      const row = await db
        .deleteFrom('tickets')
        .where(isTicket(kind, name))
        .returningAll()
        .executeTakeFirst();
      return row === undefined || row.expires_at <= clock.now() ? undefined : toTicket(row, name, sealer);
    },

    async use(kind, name) {
      const now = clock.now();
      const used = await db
        .updateTable('tickets')
        .set({ used_at: now })
        .where(isTicket(kind, name))
        .where('used_at', 'is', null)
        .where('expires_at', '>', now)
        .executeTakeFirst();
      return used.numUpdatedRows === 1n;
    },

    async remove(kind, name) {
      await db.deleteFrom('tickets').where(isTicket(kind, name)).execute();
    },

    async removeGroup(group) {
      await db.deleteFrom('tickets').where('group_name', '=', group).execute();
    },

    async sweep() {
      const old = db.deleteFrom('tickets').where('expires_at', '<=', clock.now());
      return Number((await old.executeTakeFirst()).numDeletedRows);
    },
  };
}

function createReader(db: Db, sealer: Sealer, clock: Clock): Pick<TicketStore, 'find' | 'each' | 'count'> {
  const valid = () => db.selectFrom('tickets').selectAll().where('expires_at', '>', clock.now());
  return {
    async find(kind, name) {
      const row = await valid().where(isTicket(kind, name)).executeTakeFirst();
      return row === undefined ? undefined : toTicket(row, name, sealer);
    },

    async *each(kind) {
      let last = '';
      for (;;) {
        const page = valid()
          .where('kind', '=', kind)
          .where('digest', '>', last)
          .orderBy('digest')
          .limit(PAGE);
        const rows = await page.execute();
        for (const row of rows) yield toNameless(row, sealer);
        if (rows.length < PAGE) return;
        last = rows.at(-1)?.digest ?? '';
      }
    },

    async count(kind, group) {
      const all = db
        .selectFrom('tickets')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('kind', '=', kind);
      const counted = group === undefined ? all : all.where('group_name', '=', group);
      return (await counted.executeTakeFirst())?.count ?? 0;
    },
  };
}

/** Where the value of a ticket belongs. */
export function ticketSeal(kind: string, digest: string) {
  return { table: 'tickets', record: JSON.stringify([kind, digest]), field: 'sealed' };
}

function isTicket(kind: string, name: string) {
  const digest = digestOf(name);
  return (where: ExpressionBuilder<Tables, 'tickets'>) => where.and({ kind, digest });
}

function digestOf(name: string): string {
  return createHash('sha256').update(name).digest('hex');
}

function toRow({ kind, name, value, group, expiresAt, usedAt }: Ticket, sealer: Sealer): TicketRow {
  const digest = digestOf(name);
  return {
    kind,
    digest,
    sealed: sealer.seal(value, ticketSeal(kind, digest)),
    master_key_id: sealer.activeKeyId,
    group_name: group ?? null,
    expires_at: expiresAt,
    used_at: usedAt ?? null,
  };
}

function toTicket(row: TicketRow, name: string, sealer: Sealer): Ticket {
  return { ...toNameless(row, sealer), name };
}

function toNameless(
  { kind, digest, sealed, group_name, expires_at, used_at }: TicketRow,
  sealer: Sealer,
): Omit<Ticket, 'name'> {
  return {
    kind,
    value: sealer.open(sealed, ticketSeal(kind, digest)),
    ...(group_name !== null && { group: group_name }),
    expiresAt: expires_at,
    ...(used_at !== null && { usedAt: used_at }),
  };
}
