import { expect, test } from 'vitest';
import {
  verifyChain,
  type EventQuery,
  type EventRecord,
  type EventStore,
  type HubEvent,
} from '../../src/governance/index.js';
import { toAgentId, toCallId, toConnectorId } from '../../src/kernel/index.js';
import { agentActor, appendAll, finished, hub, intended, LARGE_TIME, started } from './examples.js';

/** As they would be in a log of some size: in small groups and in large ones. */
async function appendGroups(store: EventStore): Promise<readonly EventRecord[]> {
  const records: EventRecord[] = [];
  for (const [group, size] of [3, 100, 1, 70, 300, 20, 64].entries()) {
    const events = Array.from({ length: size }, (_, index): readonly [typeof hub, HubEvent] => {
      const callId = `${group}${index >> 1}-of-${size}`;
      const connector = index % 7 === 0 ? 'db' : 'linear';
      const actor = agentActor(index % 5 === 0 ? 'b' : 'a');
      const outcome = index % 9 === 0 ? 'tool_error' : 'ok';
      if (index % 11 === 10) return [hub, started];
      return [actor, index % 2 === 0 ? intended(callId, connector) : finished(callId, connector, outcome)];
    });
    records.push(...(await appendAll(store, events, LARGE_TIME + group * 1_000)));
    await store.query({ limit: 1, order: 'newest' });
  }
  return records;
}

function matchesFilter({ sequence, at, actor, event }: EventRecord, filter: Partial<EventQuery>): boolean {
  const {
    agent,
    connector,
    type,
    outcome,
    callId,
    after = 0,
    before = Infinity,
    since = 0,
    until = Infinity,
  } = filter;
  return (
    (agent === undefined || (actor.kind === 'agent' && actor.id === agent)) &&
    (connector === undefined || ('connector' in event && event.connector === connector)) &&
    (type === undefined || event.type === type) &&
    (outcome === undefined || ('outcome' in event && event.outcome === outcome)) &&
    (callId === undefined || ('callId' in event && event.callId === callId)) &&
    sequence > after &&
    sequence < before &&
    at >= since &&
    at < until
  );
}

export function eventGroupsContract(open: () => Promise<EventStore>): void {
  const filters: readonly Omit<EventQuery, 'limit' | 'order'>[] = [
    {},
    { agent: toAgentId('b') },
    { agent: toAgentId('nobody') },
    { connector: toConnectorId('db'), type: 'call.finished' },
    { outcome: 'tool_error', agent: toAgentId('b') },
    { callId: toCallId('112-of-100') },
    { callId: toCallId('112-of-101') },
    { after: 50, before: 60 },
    { after: 102, before: 110 },
    { before: 400, type: 'hub.started' },
    { since: LARGE_TIME + 1_010, until: LARGE_TIME + 4_100 },
    { after: 90, since: LARGE_TIME + 3_000, connector: toConnectorId('linear') },
  ];

  test('a filter finds the same whatever groups the events came in, also after trimming', async () => {
    const store = await open();
    // Records as data, whatever made them.
    let records = (await appendGroups(store)).map((record): EventRecord => ({ ...record }));
    for (const trimmed of [0, 2, 40, 103, 300]) {
      await store.trim(trimmed);
      records = records.filter(({ sequence }) => sequence > trimmed);
      for (const filter of filters) {
        const expected = records.filter((record) => matchesFilter(record, filter));
        const what = JSON.stringify({ trimmed, filter });
        expect(await store.query({ ...filter, limit: 1_000, order: 'oldest' }), what).toEqual(expected);
        expect(await store.query({ ...filter, limit: 30, order: 'newest' }), what).toEqual(
          expected.slice(-30).toReversed(),
        );
      }
      expect(await store.last()).toStrictEqual(records.at(-1));
      expect(await verifyChain(store)).toMatchObject({ ok: true, events: records.length });
    }
  });

  test('a page ends where its events would be more bytes than are asked for, whatever groups they came in', async () => {
    const store = await open();
    const records = (await appendLarge(store)).map((record): EventRecord => ({ ...record }));
    for (const filter of [{}, { type: 'call.intended' }] as const) {
      const expected = records.filter((record) => matchesFilter(record, filter));
      for (const order of ['oldest', 'newest'] as const) {
        const found: EventRecord[] = [];
        let pages = 0;
        for (let page = await next(); ; page = await next()) {
          found.push(...page);
          pages++;
          if (page.isCut !== true) break;
          // What waits for its row may come beside; a page that was cut has one event at least.
          expect(page.length).toBeGreaterThan(0);
          expect(textOf(page)).toBeLessThan(2 * MAX_BYTES + 2 * LARGE);
        }
        expect(pages).toBeGreaterThan(5);
        expect(found).toEqual(order === 'oldest' ? expected : expected.toReversed());

        function next() {
          const last = found.at(-1)?.sequence;
          const from = last === undefined ? {} : order === 'oldest' ? { after: last } : { before: last };
          return store.query({ ...filter, ...from, limit: 1_000, maxBytes: MAX_BYTES, order });
        }
      }
      expect(await store.query({ ...filter, limit: 1_000, order: 'oldest' })).toEqual(expected);
    }
    expect(plain(await store.query({ limit: 9, maxBytes: 1, order: 'oldest' }))).toEqual(records.slice(0, 1));
  });
}

const MAX_BYTES = 100_000;
const LARGE = 40_000;

function plain(page: readonly EventRecord[]): readonly EventRecord[] {
  return [...page];
}

function textOf(page: readonly EventRecord[]): number {
  return JSON.stringify(page).length;
}

/** Some alone, some in groups, some among many that are small. */
async function appendLarge(store: EventStore): Promise<readonly EventRecord[]> {
  const records: EventRecord[] = [];
  for (const [group, size] of [2, 90, 1, 1, 1, 10, 64].entries()) {
    const events = Array.from({ length: size }, (_, index): readonly [typeof hub, HubEvent] => {
      if (index % 3 === 2) return [hub, started];
      const sealed = 'x'.repeat(index % 5 === 0 || size < 5 ? LARGE : 100);
      const intent = intended(`${group}-${index}`) as Extract<HubEvent, { readonly type: 'call.intended' }>;
      return [agentActor('a'), { ...intent, arguments: { bytes: LARGE, sealed } }];
    });
    records.push(...(await appendAll(store, events, LARGE_TIME)));
    await store.query({ limit: 1, order: 'newest' });
  }
  return records;
}
