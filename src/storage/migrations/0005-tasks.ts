import type { Migration } from './migration.js';

/** Calls that go on at upstreams after their callers were given a handle. */
export const tasks: Migration = {
  version: 5,
  name: 'tasks',
  async up({ schema }, { integer, key, text, tableOptions }) {
    await schema
      .createTable('tasks')
      .addColumn('id', key, (column) => column.primaryKey().notNull())
      .addColumn('agent', key, (column) => column.notNull())
      .addColumn('connector', key, (column) => column.notNull())
      .addColumn('call_id', key, (column) => column.notNull())
      .addColumn('status', key, (column) => column.notNull())
      .addColumn('created_at', integer, (column) => column.notNull())
      .addColumn('updated_at', integer, (column) => column.notNull())
      .addColumn('expires_at', integer, (column) => column.notNull())
      .addColumn('finished', integer, (column) => column.notNull())
      .addColumn('body', text, (column) => column.notNull())
      .modifyEnd(tableOptions)
      .execute();
    await schema.createIndex('tasks_of_agent').on('tasks').columns(['agent', 'created_at', 'id']).execute();
    await schema.createIndex('tasks_of_connector').on('tasks').column('connector').execute();
    await schema.createIndex('tasks_by_end').on('tasks').column('expires_at').execute();
    await schema.createIndex('tasks_open').on('tasks').columns(['finished', 'created_at']).execute();
  },
};
