import { sql } from 'kysely';
import type { Migration } from './migration.js';

/** Calls are found by what was called. Rows that were there before get the name out of their payload. */
export const eventTools: Migration = {
  version: 3,
  name: 'event-tools',
  async up(transaction, { integer, key }) {
    const { schema } = transaction;
    await schema.alterTable('events').addColumn('tool', key).execute();
    if (integer === 'integer') {
      await sql`
        update events set tool = substr(json_extract(payload, '$.event.exposedName'), 1, 256)
        where type like 'call.%' or type = 'answer.reduced'`.execute(transaction);
      await schema.dropIndex('events_scan').execute();
      await schema
        .createIndex('events_scan')
        .on('events')
        .columns(['sequence', 'at', 'type', 'agent', 'connector', 'outcome', 'call_id', 'tool'])
        .execute();
      return;
    }
    // Postgres cannot take NUL and half surrogates out of JSON; such names stay without a column.
    await sql`
      update events set tool = left(payload::json -> 'event' ->> 'exposedName', 256)
      where (type like 'call.%' or type = 'answer.reduced') and payload !~ ${'\\\\u(0000|d[89a-f])'}`.execute(
      transaction,
    );
    await schema.createIndex('events_by_tool').on('events').columns(['tool', 'sequence']).execute();
  },
};
