import {
  toAgentId,
  toCallId,
  toConnectorId,
  type Clock,
  type TaskRecord,
  type TaskStore,
} from '../../kernel/index.js';
import type { Db } from '../database.js';
import type { TaskRow } from '../tables.js';

type Body = Pick<TaskRecord, 'owner' | 'upstreamId' | 'tool' | 'exposedName' | 'pollMs'>;

/** What may happen once only is one statement: of several callers, in whatever process, the database lets one win. */
export function createTaskStore(db: Db, clock: Clock): TaskStore {
  return {
    ...createReader(db, clock),

    async add(record) {
      await db.insertInto('tasks').values(toRow(record)).execute();
    },

    async note(id, status) {
      const update = db.updateTable('tasks').set({ status, updated_at: clock.now() });
      await update.where('id', '=', id).where('finished', '=', 0).execute();
    },

    async finish(id, status) {
      const update = db.updateTable('tasks').set({ status, updated_at: clock.now(), finished: 1 });
      const done = await update.where('id', '=', id).where('finished', '=', 0).executeTakeFirst();
      return done.numUpdatedRows === 1n;
    },

    async removeOldestFinished(agent) {
      let oldest = db.selectFrom('tasks').select('id').where('finished', '=', 1);
      if (agent !== undefined) oldest = oldest.where('agent', '=', agent);
      const first = oldest.orderBy('created_at').orderBy('id').limit(1);
      const removed = db.deleteFrom('tasks').where('id', 'in', first).returning('id');
      return (await removed.executeTakeFirst())?.id;
    },

    async takeExpired() {
      const old = db.deleteFrom('tasks').where('expires_at', '<=', clock.now());
      return (await old.returningAll().execute()).map(fromRow);
    },

    async takeAllOf(agent) {
      return (await db.deleteFrom('tasks').where('agent', '=', agent).returningAll().execute()).map(fromRow);
    },

    async takeAllFor(connector) {
      const gone = db.deleteFrom('tasks').where('connector', '=', connector);
      return (await gone.returningAll().execute()).map(fromRow);
    },
  };
}

function createReader(db: Db, clock: Clock): Pick<TaskStore, 'find' | 'list' | 'count' | 'openCalls'> {
  const valid = () => db.selectFrom('tasks').selectAll().where('expires_at', '>', clock.now());
  return {
    async find(id) {
      const row = await valid().where('id', '=', id).executeTakeFirst();
      return row === undefined ? undefined : fromRow(row);
    },

    async list(agent, after, limit) {
      let rows = valid().where('agent', '=', agent);
      if (after !== undefined) {
        const { createdAt, id } = after;
        rows = rows.where((where) =>
          where.or([
            where('created_at', '>', createdAt),
            where.and([where('created_at', '=', createdAt), where('id', '>', id)]),
          ]),
        );
      }
      return (await rows.orderBy('created_at').orderBy('id').limit(limit).execute()).map(fromRow);
    },

    async count(agent) {
      let counted = db.selectFrom('tasks').select(({ fn }) => fn.countAll<number>().as('count'));
      if (agent !== undefined) counted = counted.where('agent', '=', agent);
      return (await counted.executeTakeFirst())?.count ?? 0;
    },

    async openCalls() {
      const open = db.selectFrom('tasks').select('call_id').where('finished', '=', 0);
      return (await open.execute()).map((row) => toCallId(row.call_id));
    },
  };
}

function toRow({ id, agent, connector, callId, status, finished, ...record }: TaskRecord): TaskRow {
  const { createdAt, updatedAt, expiresAt, ...body } = record;
  return {
    id,
    agent,
    connector,
    call_id: callId,
    status,
    created_at: createdAt,
    updated_at: updatedAt,
    expires_at: expiresAt,
    finished: finished ? 1 : 0,
    body: JSON.stringify(body satisfies Body),
  };
}

function fromRow(row: TaskRow): TaskRecord {
  const { owner, upstreamId, tool, exposedName, pollMs } = JSON.parse(row.body) as Body;
  return {
    id: row.id,
    agent: toAgentId(row.agent),
    connector: toConnectorId(row.connector),
    callId: toCallId(row.call_id),
    owner,
    upstreamId,
    tool,
    exposedName,
    pollMs,
    status: row.status,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    expiresAt: row.expires_at,
    finished: row.finished === 1,
  };
}
