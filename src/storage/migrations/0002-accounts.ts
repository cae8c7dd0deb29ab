import { sql, type SchemaModule, type Transaction } from 'kysely';
import type { Tables } from '../tables.js';
import type { ColumnTypes, Migration } from './migration.js';

/** Several accounts per owner and upstream, and what signing in on either side needs to remember. */
export const accounts: Migration = {
  version: 2,
  name: 'accounts',
  async up(transaction, types) {
    await widenCredentials(transaction, types);
    await createSignInTables(transaction.schema, types);
    await createInstances(transaction.schema, types);
  },
};

/** SQLite cannot change a primary key, so both databases get a new table and the rows of the old one. */
async function widenCredentials(
  transaction: Transaction<Tables>,
  { integer, key, text, tableOptions }: ColumnTypes,
): Promise<void> {
  const { schema } = transaction;
  await schema
    .createTable('credentials_of_accounts')
    .addColumn('connector_id', key, (column) => column.notNull())
    .addColumn('owner', key, (column) => column.notNull())
    .addColumn('account', key, (column) => column.notNull())
    .addColumn('is_default', integer, (column) => column.notNull())
    .addColumn('version', integer, (column) => column.notNull())
    .addColumn('sealed', text, (column) => column.notNull())
    .addColumn('master_key_id', key, (column) => column.notNull())
    .addColumn('detail', text)
    .addColumn('updated_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('credentials_account_key', ['connector_id', 'owner', 'account'])
    .modifyEnd(tableOptions)
    .execute();
  await sql`
    insert into credentials_of_accounts
      (connector_id, owner, account, is_default, version, sealed, master_key_id, detail, updated_at)
    select connector_id, owner, 'default', 1, version, sealed, master_key_id, null, updated_at from credentials`.execute(
    transaction,
  );
  await schema.dropTable('credentials').execute();
  await schema.alterTable('credentials_of_accounts').renameTo('credentials').execute();
  await schema.createIndex('credentials_of_owner').on('credentials').column('owner').execute();
  await sql`create unique index credentials_default on credentials (connector_id, owner) where is_default = 1`.execute(
    transaction,
  );
}

async function createSignInTables(
  schema: SchemaModule,
  { integer, key, text, tableOptions }: ColumnTypes,
): Promise<void> {
  await schema
    .createTable('tickets')
    .addColumn('kind', key, (column) => column.notNull())
    .addColumn('digest', key, (column) => column.notNull())
    .addColumn('sealed', text, (column) => column.notNull())
    .addColumn('master_key_id', key, (column) => column.notNull())
    .addColumn('group_name', key)
    .addColumn('expires_at', integer, (column) => column.notNull())
    .addColumn('used_at', integer)
    .addPrimaryKeyConstraint('tickets_key', ['kind', 'digest'])
    .modifyEnd(tableOptions)
    .execute();
  await schema.createIndex('tickets_of_group').on('tickets').column('group_name').execute();
  await schema.createIndex('tickets_by_end').on('tickets').column('expires_at').execute();
  await schema
    .createTable('oauth_clients')
    .addColumn('connector_id', key, (column) => column.notNull())
    .addColumn('issuer', key, (column) => column.notNull())
    .addColumn('redirect_uri', key, (column) => column.notNull())
    .addColumn('sealed', text, (column) => column.notNull())
    .addColumn('master_key_id', key, (column) => column.notNull())
    .addColumn('registered_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('oauth_clients_key', ['connector_id', 'issuer', 'redirect_uri'])
    .modifyEnd(tableOptions)
    .execute();
  await schema
    .createTable('admins')
    .addColumn('id', key, (column) => column.primaryKey().notNull())
    .addColumn('token_digest', key, (column) => column.unique())
    .addColumn('body', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .modifyEnd(tableOptions)
    .execute();
}

async function createInstances(
  schema: SchemaModule,
  { integer, key, tableOptions }: ColumnTypes,
): Promise<void> {
  await schema
    .createTable('hub_instances')
    .addColumn('id', key, (column) => column.primaryKey().notNull())
    .addColumn('seen_at', integer, (column) => column.notNull())
    .modifyEnd(tableOptions)
    .execute();
}
