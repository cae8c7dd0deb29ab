import { toConnectorId, type ConnectorId } from '../../kernel/index.js';
import type { Snapshot, SnapshotDiff, SnapshotStore } from '../../catalog/index.js';
import { parseJson, stringifyJson, type JsonLimits } from '../../mcp/jsonrpc/index.js';
import type { Db } from '../database.js';
import type { Tables } from '../tables.js';

type Body = Omit<Snapshot, 'connectorId' | 'takenAt' | 'hash'>;

/** It was within bounds when it was taken. */
const UNBOUNDED: JsonLimits = { maxDepth: Infinity, maxNodes: Infinity, duplicateKeys: 'last' };
/** Differences remembered of each connector. */
const KEPT_HISTORY = 200;

export function createSnapshotStore(db: Db): SnapshotStore {
  return {
    async latest(connector) {
      const row = await db
        .selectFrom('snapshots')
        .selectAll()
        .where('connector_id', '=', connector)
        .executeTakeFirst();
      return row === undefined ? undefined : fromRow(row);
    },

    async latestOfAll() {
      return (await db.selectFrom('snapshots').selectAll().orderBy('connector_id').execute()).map(fromRow);
    },

    async history(connector, limit) {
      const rows = db.selectFrom('snapshot_history').selectAll().where('connector_id', '=', connector);
      const newest = await rows.orderBy('number', 'desc').limit(limit).execute();
      return newest.map(({ taken_at, hash, diff }) => ({
        takenAt: taken_at,
        hash,
        diff: JSON.parse(diff) as SnapshotDiff,
      }));
    },

    save: (snapshot, diff) => save(db, snapshot, diff),

    async removeAllFor(connector) {
      await db.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('snapshots').where('connector_id', '=', connector).execute();
        await transaction.deleteFrom('snapshot_history').where('connector_id', '=', connector).execute();
      });
    },
  };
}

function save(db: Db, snapshot: Snapshot, diff: SnapshotDiff): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    const { connector_id, ...columns } = toRow(snapshot);
    // First, because it holds off another hub that saves the same connector until the numbers below are taken.
    await transaction
      .insertInto('snapshots')
      .values({ connector_id, ...columns })
      .onConflict((conflict) => conflict.column('connector_id').doUpdateSet(columns))
      .execute();
    const number = (await lastNumber(transaction, snapshot.connectorId)) + 1;
    const row = {
      connector_id,
      number,
      taken_at: snapshot.takenAt,
      hash: snapshot.hash,
      diff: JSON.stringify(diff),
    };
    await transaction.insertInto('snapshot_history').values(row).execute();
    await transaction
      .deleteFrom('snapshot_history')
      .where('connector_id', '=', connector_id)
      .where('number', '<=', number - KEPT_HISTORY)
      .execute();
  });
}

async function lastNumber(db: Db, connector: ConnectorId): Promise<number> {
  const row = await db
    .selectFrom('snapshot_history')
    .select(({ fn }) => fn.max('number').as('number'))
    .where('connector_id', '=', connector)
    .executeTakeFirst();
  return row?.number ?? 0;
}

/** Numbers of upstreams that a double cannot hold keep their digits. */
function toRow({ connectorId, takenAt, hash, ...body }: Snapshot): Tables['snapshots'] {
  return { connector_id: connectorId, taken_at: takenAt, hash, body: stringifyJson(body satisfies Body) };
}

function fromRow({ connector_id, taken_at, hash, body }: Tables['snapshots']): Snapshot {
  const parsed: unknown = parseJson(body, UNBOUNDED);
  const kept = parsed as Body;
  // JSON leaves out what is undefined; the type does not.
  const upstream = { ...kept.upstream, instructions: kept.upstream.instructions };
  return { ...kept, upstream, connectorId: toConnectorId(connector_id), takenAt: taken_at, hash };
}
