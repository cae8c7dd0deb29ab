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
  events: EventRow;
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
  readonly version: number;
  readonly updated_at: number;
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
  readonly payload: string;
  readonly previous_hash: string;
  readonly hash: string;
}

/** What a backup carries, parents before children, with the columns that identify a row. */
export const KEPT_TABLES = [
  { name: 'settings', key: ['key'] },
  { name: 'data_keys', key: ['name'] },
  { name: 'connectors', key: ['id'] },
  { name: 'agents', key: ['id'] },
  { name: 'agent_keys', key: ['id'] },
  { name: 'credentials', key: ['connector_id', 'owner'] },
  { name: 'snapshots', key: ['connector_id'] },
  { name: 'snapshot_history', key: ['connector_id', 'number'] },
  { name: 'policies', key: ['id'] },
  { name: 'events', key: ['sequence'] },
] as const satisfies readonly { readonly name: keyof Tables; readonly key: readonly string[] }[];

export type KeptTable = (typeof KEPT_TABLES)[number]['name'];
