/**
 * The tables as Kysely sees them. Free text and whatever has an inner structure stands in JSON columns: JSON escapes what
 * neither database can hold in a text column (NUL, half surrogates). Every change here is a migration.
 */
export interface Tables {
  schema_migrations: { readonly version: number; readonly name: string; readonly applied_at: number };
  settings: { readonly key: string; readonly value: string };
  data_keys: { readonly name: string; readonly created_at: number } & SealedColumns;
  connectors: ConnectorRow;
  agents: VersionedRow;
  agent_keys: AgentKeyRow;
  credentials: CredentialRow;
  snapshots: {
    readonly connector_id: string;
    readonly taken_at: number;
    readonly hash: string;
    readonly body: string;
  };
  snapshot_history: SnapshotHistoryRow;
  policies: PolicyRow;
  policy_versions: PolicyVersionRow;
  events: EventRow;
  event_blocks: EventBlockRow;
  tickets: TicketRow;
  tasks: TaskRow;
  oauth_clients: OAuthClientRow;
  admins: AdminRow;
  hub_instances: { readonly id: string; readonly seen_at: number };
}

export interface SealedColumns {
  readonly sealed: string;
  /** Which key sealed it, so that a rotation finds what is left to do. */
  readonly master_key_id: string;
}

export interface VersionedRow {
  readonly id: string;
  readonly version: number;
  readonly body: string;
  readonly created_at: number;
  readonly updated_at: number;
}

export type ConnectorRow = VersionedRow & SealedColumns;
export type PolicyRow = Omit<VersionedRow, 'created_at'>;

export interface PolicyVersionRow {
  readonly policy_id: string;
  readonly version: number;
  readonly at: number;
  readonly admin: string | null;
  readonly text: string | null;
}

export interface AgentKeyRow {
  readonly id: string;
  readonly agent_id: string;
  readonly digest: string;
  readonly last4: string;
  readonly created_at: number;
  readonly expires_at: number | null;
}

export interface CredentialRow extends SealedColumns {
  readonly connector_id: string;
  readonly owner: string;
  readonly account: string;
  /** 1 for exactly one account of each owner. */
  readonly is_default: number;
  readonly version: number;
  /** What was granted, of accounts that were connected. */
  readonly detail: string | null;
  readonly updated_at: number;
}

export interface TicketRow extends SealedColumns {
  readonly kind: string;
  readonly digest: string;
  readonly group_name: string | null;
  readonly expires_at: number;
  readonly used_at: number | null;
}

export interface TaskRow {
  readonly id: string;
  readonly agent: string;
  readonly connector: string;
  readonly call_id: string;
  readonly status: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly expires_at: number;
  /** 1 once its end was written down. */
  readonly finished: number;
  readonly body: string;
}

export interface OAuthClientRow extends SealedColumns {
  readonly connector_id: string;
  readonly issuer: string;
  readonly redirect_uri: string;
  readonly registered_at: number;
}

export interface AdminRow {
  readonly id: string;
  readonly token_digest: string | null;
  readonly body: string;
  readonly created_at: number;
}

export interface SnapshotHistoryRow {
  readonly connector_id: string;
  readonly number: number;
  readonly taken_at: number;
  readonly hash: string;
  readonly diff: string;
}

export interface EventRow {
  readonly sequence: number;
  readonly at: number;
  readonly type: string;
  readonly agent: string | null;
  readonly connector: string | null;
  readonly outcome: string | null;
  readonly call_id: string | null;
  /** The beginning of the exposed name of what was called. */
  readonly tool: string | null;
  readonly payload: string;
  readonly previous_hash: string;
  readonly hash: string;
}

/** Events that follow each other, of SQLite only. */
export interface EventBlockRow {
  readonly last: number;
  readonly first: number;
  readonly earliest: number;
  readonly latest: number;
  readonly previous_hash: string;
  readonly hash: string;
  readonly names: string;
  readonly lines: string;
}

/** Tables a backup leaves out. */
export const UNKEPT_TABLES = [
  'schema_migrations',
  'tickets',
  'tasks',
  'hub_instances',
  'event_blocks',
] as const;

/**
 * What a backup carries, parents before children, with the columns that identify a row. Tickets stay behind: many count
 * once, and a restored copy would make those that were used up since good again. Running instances mean nothing
 * elsewhere, and tasks are forgotten by upstreams before a backup is needed. The events of blocks are carried as rows.
 */
const KEPT_TABLES = [
  { name: 'settings', key: ['key'], since: 1 },
  { name: 'data_keys', key: ['name'], since: 1 },
  { name: 'connectors', key: ['id'], since: 1 },
  { name: 'agents', key: ['id'], since: 1 },
  { name: 'agent_keys', key: ['id'], since: 1 },
  { name: 'credentials', key: ['connector_id', 'owner'], since: 1, before: 2 },
  { name: 'credentials', key: ['connector_id', 'owner', 'account'], since: 2 },
  { name: 'snapshots', key: ['connector_id'], since: 1 },
  { name: 'snapshot_history', key: ['connector_id', 'number'], since: 1 },
  { name: 'policies', key: ['id'], since: 1 },
  { name: 'policy_versions', key: ['policy_id', 'version'], since: 4 },
  { name: 'oauth_clients', key: ['connector_id', 'issuer', 'redirect_uri'], since: 2 },
  { name: 'admins', key: ['id'], since: 2 },
  { name: 'events', key: ['sequence'], since: 1 },
] as const satisfies readonly {
  readonly name: keyof Tables;
  readonly key: readonly string[];
  /** The versions of the schema in which it looks like this. */
  readonly since: number;
  readonly before?: number;
}[];

export type KeptTable = (typeof KEPT_TABLES)[number]['name'];

/** Those of a version of the schema: backups of older releases have fewer. */
export function keptTables(
  schemaVersion: number,
): readonly { readonly name: KeptTable; readonly key: readonly string[] }[] {
  return KEPT_TABLES.filter(
    (table) => table.since <= schemaVersion && (!('before' in table) || schemaVersion < table.before),
  );
}
