import type { Transaction } from 'kysely';
import type { Tables } from '../tables.js';
import type { Migration } from './migration.js';

/** What policies said before, so that a change or a removal can be taken back. It begins with what they say now. */
export const policyHistory: Migration = {
  version: 4,
  name: 'policy-history',
  async up(transaction, { integer, key, text, tableOptions }) {
    await transaction.schema
      .createTable('policy_versions')
      .addColumn('policy_id', key, (column) => column.notNull())
      .addColumn('version', integer, (column) => column.notNull())
      .addColumn('at', integer, (column) => column.notNull())
      .addColumn('admin', key)
      .addColumn('text', text)
      .addPrimaryKeyConstraint('policy_versions_key', ['policy_id', 'version'])
      .modifyEnd(tableOptions)
      .execute();
    await begin(transaction);
  },
};

async function begin(transaction: Transaction<Tables>): Promise<void> {
  const policies = await transaction.selectFrom('policies').selectAll().execute();
  for (const { id, version, body, updated_at } of policies) {
    const { text } = JSON.parse(body) as { readonly text: string };
    const row = { policy_id: id, version, at: updated_at, admin: null, text: JSON.stringify(text) };
    await transaction.insertInto('policy_versions').values(row).execute();
  }
}
