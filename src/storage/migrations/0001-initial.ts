import type { SchemaModule } from 'kysely';
import type { ColumnTypes, Migration } from './migration.js';

export const initial: Migration = {
  version: 1,
  name: 'initial',
  async up({ schema }, types) {
    await createHubTables(schema, types);
    await createAgentTables(schema, types);
    await createConnectorTables(schema, types);
    await createEvents(schema, types);
  },
};

async function createHubTables(
  schema: SchemaModule,
  { integer, key, text, tableOptions }: ColumnTypes,
): Promise<void> {
  await schema
    .createTable('settings')
    .addColumn('key', key, (column) => column.primaryKey().notNull())
    .addColumn('value', text, (column) => column.notNull())
    .modifyEnd(tableOptions)
    .execute();
  await schema
    .createTable('data_keys')
    .addColumn('name', key, (column) => column.primaryKey().notNull())
    .addColumn('sealed', text, (column) => column.notNull())
    .addColumn('master_key_id', key, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .modifyEnd(tableOptions)
    .execute();
  await schema
    .createTable('policies')
    .addColumn('id', key, (column) => column.primaryKey().notNull())
    .addColumn('version', integer, (column) => column.notNull())
    .addColumn('body', text, (column) => column.notNull())
    .addColumn('updated_at', integer, (column) => column.notNull())
    .modifyEnd(tableOptions)
    .execute();
}

async function createAgentTables(
  schema: SchemaModule,
  { integer, key, text, tableOptions }: ColumnTypes,
): Promise<void> {
  await schema
    .createTable('agents')
    .addColumn('id', key, (column) => column.primaryKey().notNull())
    .addColumn('version', integer, (column) => column.notNull())
    .addColumn('body', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('updated_at', integer, (column) => column.notNull())
    .modifyEnd(tableOptions)
    .execute();
  await schema
    .createTable('agent_keys')
    .addColumn('id', key, (column) => column.primaryKey().notNull())
    .addColumn('agent_id', key, (column) => column.notNull().references('agents.id').onDelete('cascade'))
    .addColumn('digest', key, (column) => column.notNull().unique())
    .addColumn('last4', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('expires_at', integer)
    .modifyEnd(tableOptions)
    .execute();
  await schema.createIndex('agent_keys_of_agent').on('agent_keys').column('agent_id').execute();
}

async function createConnectorTables(
  schema: SchemaModule,
  { integer, key, text, tableOptions }: ColumnTypes,
): Promise<void> {
  await schema
    .createTable('connectors')
    .addColumn('id', key, (column) => column.primaryKey().notNull())
    .addColumn('version', integer, (column) => column.notNull())
    .addColumn('body', text, (column) => column.notNull())
    .addColumn('sealed', text, (column) => column.notNull())
    .addColumn('master_key_id', key, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('updated_at', integer, (column) => column.notNull())
    .modifyEnd(tableOptions)
    .execute();
  // Credentials and snapshots may belong to connectors of files, which are not rows: no foreign key.
  await schema
    .createTable('credentials')
    .addColumn('connector_id', key, (column) => column.notNull())
    .addColumn('owner', key, (column) => column.notNull())
    .addColumn('version', integer, (column) => column.notNull())
    .addColumn('sealed', text, (column) => column.notNull())
    .addColumn('master_key_id', key, (column) => column.notNull())
    .addColumn('updated_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('credentials_key', ['connector_id', 'owner'])
    .modifyEnd(tableOptions)
    .execute();
  await schema.createIndex('credentials_of_owner').on('credentials').column('owner').execute();
  await schema
    .createTable('snapshots')
    .addColumn('connector_id', key, (column) => column.primaryKey().notNull())
    .addColumn('taken_at', integer, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('body', text, (column) => column.notNull())
    .modifyEnd(tableOptions)
    .execute();
  await schema
    .createTable('snapshot_history')
    .addColumn('connector_id', key, (column) => column.notNull())
    .addColumn('number', integer, (column) => column.notNull())
    .addColumn('taken_at', integer, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('diff', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('snapshot_history_key', ['connector_id', 'number'])
    .modifyEnd(tableOptions)
    .execute();
}

async function createEvents(
  schema: SchemaModule,
  { integer, key, text, tableOptions }: ColumnTypes,
): Promise<void> {
  await schema
    .createTable('events')
    .addColumn('sequence', integer, (column) => column.primaryKey().notNull())
    .addColumn('at', integer, (column) => column.notNull())
    .addColumn('type', key, (column) => column.notNull())
    .addColumn('agent', key)
    .addColumn('connector', key)
    .addColumn('outcome', key)
    .addColumn('call_id', key)
    .addColumn('payload', text, (column) => column.notNull())
    .addColumn('previous_hash', text, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull())
    .modifyEnd(tableOptions)
    .execute();
  if (integer === 'integer') {
    // SQLite: one narrow index in the order of writing. Each row adds to its end, which costs a microsecond, and a filter
    // reads it at ten million rows a second; an index per filter would touch another page for every row and filter.
    await schema
      .createIndex('events_scan')
      .on('events')
      .columns(['sequence', 'at', 'type', 'agent', 'connector', 'outcome', 'call_id'])
      .execute();
    return;
  }
  for (const column of ['at', 'type', 'agent', 'connector', 'outcome', 'call_id'] as const) {
    await schema.createIndex(`events_by_${column}`).on('events').columns([column, 'sequence']).execute();
  }
}
