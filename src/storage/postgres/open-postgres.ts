import {
  Kysely,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely';
import pg from 'pg';
import { HubError, type Logger } from '../../kernel/index.js';
import type { Database } from '../database.js';
import { GuardedDriver } from '../statement-guard.js';
import type { Tables } from '../tables.js';
import { LeasePool } from './lease-pool.js';
import { SilenceWatch } from './silence-watch.js';

export interface PostgresOptions {
  readonly url: string;
  readonly logger: Logger;
  /** Connections at most. */
  readonly poolSize: number;
}

const CONNECT_MS = 5_000;
const STATEMENT_MS = 30_000;
/** The server ends a statement after `STATEMENT_MS`; this is for a server that no longer answers at all. */
const ANSWER_MS = STATEMENT_MS + 5_000;
/** Any number, as long as every release uses the same. */
const SCHEMA_LOCK = 4_346_573;
const NAMED_LOCKS = 4_346_573;

export async function openPostgres({ url, logger, poolSize }: PostgresOptions): Promise<Database> {
  requireReadable(url);
  const server = { connectionString: url, application_name: 'crosspoint' };
  const pool = new pg.Pool({
    ...server,
    max: poolSize,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    idle_in_transaction_session_timeout: STATEMENT_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    types: { getTypeParser },
  });
  // A connection that breaks while nobody waits for an answer on it. The pool drops it; whoever holds it finds out.
  pool.on('error', () => logger.warn({}, 'a connection to the database was lost'));
  pool.on('connect', (client) => client.on('error', () => {}));

  const leases = new LeasePool(pool, new SilenceWatch(server));
  const db = new Kysely<Tables>({
    dialect: {
      createDriver: () => new GuardedDriver(new PostgresDriver({ pool: leases })),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    },
  });
  return {
    kind: 'postgres',
    db,
    async hasTable(name) {
      const found = await sql<{
        readonly found: boolean;
      }>`select to_regclass(${name}) is not null as found`.execute(db);
      return found.rows[0]?.found === true;
    },
    async lockSchema(transaction) {
      await sql`select pg_advisory_xact_lock(${SCHEMA_LOCK})`.execute(transaction);
    },
    async lock(transaction, name) {
      // Two numbers: none of these can be one of the single numbers above. Names that share a number wait needlessly.
      await sql`select pg_advisory_xact_lock(${NAMED_LOCKS}, hashtext(${name}))`.execute(transaction);
    },
    now: sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
    async usedBytes() {
      const found = await sql<{ readonly bytes: number }>`
        select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint as bytes
        from pg_class c where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace`.execute(
        db,
      );
      return found.rows[0]?.bytes ?? 0;
    },
    close: () => leases.end(),
  };
}

/** The address may hold a password: what the parser says of it is not repeated. */
function requireReadable(url: string): void {
  try {
    void new pg.Client({ connectionString: url });
  } catch {
    throw new HubError('config_invalid', 'the address of the Postgres store cannot be read');
  }
}

const INT8: number = pg.types.builtins.INT8;

/** Numbers of ours stay below 2^53; one that does not is a fault, and must not become a neighbouring number. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid !== INT8) {
    const parse: unknown = pg.types.getTypeParser(oid, format ?? 'text');
    return parse as (value: string) => unknown;
  }
  return (text) => {
    const value = Number(text);
    if (!Number.isSafeInteger(value)) throw new HubError('internal', 'a number in the store is too large');
    return value;
  };
}
