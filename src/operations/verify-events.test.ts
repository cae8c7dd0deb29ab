import { expect, test } from 'vitest';
import { GENESIS_HASH, openEventLog, type EventRecord } from '../governance/index.js';
import { silentLogger, systemClock } from '../kernel/index.js';
import { createVerifyEvents } from './verify-events.js';

async function openLog() {
  let kept: EventRecord[] = [];
  let anchor = { sequence: 0, hash: GENESIS_HASH };
  const store = {
    append: (records: readonly EventRecord[]) => void kept.push(...records),
    query: async ({ after = 0, limit }: { after?: number; limit: number }) =>
      kept.filter(({ sequence }) => sequence > after).slice(0, limit),
    last: async () => kept.at(-1),
    unfinishedCalls: async () => [],
    anchor: async () => anchor,
    count: async () => kept.length,
    trim: async (sequence: number) => {
      const last = kept.find((record) => record.sequence === sequence);
      if (last !== undefined) anchor = { sequence, hash: last.hash };
      kept = kept.filter((record) => record.sequence > sequence);
    },
  };
  const events = await openEventLog({ store, clock: systemClock, logger: silentLogger });
  for (let round = 0; round < 5; round++)
    events.append({ kind: 'hub' }, { type: 'hub.started', version: String(round) });
  return { store, events };
}

test('what retention takes away during the walk is not missing', async () => {
  const { store, events } = await openLog();
  const { query } = store;
  let trimmed = false;
  store.query = async (wanted) => {
    if (!trimmed) {
      trimmed = true;
      await store.trim(3);
    }
    return query(wanted);
  };
  await expect(createVerifyEvents({ events, eventStore: store })()).resolves.toMatchObject({
    ok: true,
    events: 2,
  });
});

test('what somebody else took away is', async () => {
  const { store, events } = await openLog();
  const { query } = store;
  store.query = async (wanted) => (await query(wanted)).filter(({ sequence }) => sequence !== 2);
  await expect(createVerifyEvents({ events, eventStore: store })()).resolves.toEqual({
    ok: false,
    sequence: 2,
    problem: 'missing',
  });
});

test('those who ask at once get one walk', async () => {
  const { store, events } = await openLog();
  const verify = createVerifyEvents({ events, eventStore: store });
  expect(verify()).toBe(verify());
  await expect(verify()).resolves.toMatchObject({ ok: true, events: 5 });
});
