import { describe, expect, test } from 'vitest';
import {
  verifyChain,
  type EventQuery,
  type EventRecord,
  type EventStore,
  type HubEvent,
} from '../../src/governance/index.js';
import { toAgentId, toCallId, toConnectorId } from '../../src/kernel/index.js';
import {
  admin,
  agentActor,
  appendAll,
  chainAfter,
  finished,
  HOSTILE_TEXTS,
  hub,
  intended,
  LARGE_TIME,
  LARGEST,
  nextRecords,
  started,
} from './examples.js';
import { eventGroupsContract } from './event-groups.contract.js';

const all = { limit: 10_000, order: 'oldest' } as const satisfies EventQuery;

/** Records as data, whatever made them. */
function plain(records: readonly EventRecord[]): readonly EventRecord[] {
  return records.map((record) => ({ ...record }));
}

function sequences(records: readonly EventRecord[]): readonly number[] {
  return records.map(({ sequence }) => sequence);
}

export function eventStoreContract(open: () => Promise<EventStore>): void {
  describe('append', () => {
    appendContract(open);
  });
  describe('query', () => {
    queryContract(open);
  });
  describe('groups', () => {
    eventGroupsContract(open);
  });
  describe('unfinished calls', () => {
    unfinishedContract(open);
  });
  describe('trim', () => {
    trimContract(open);
  });
}

function appendContract(open: () => Promise<EventStore>): void {
  test('an empty log begins at nothing', async () => {
    const store = await open();
    expect(await store.last()).toBeUndefined();
    expect(await store.query(all)).toEqual([]);
    expect(await store.count()).toBe(0);
    expect((await store.anchor()).sequence).toBe(0);
    expect(await store.unfinishedCalls()).toEqual([]);
    await store.append([]);
    expect(await verifyChain(store)).toMatchObject({ ok: true, events: 0 });
  });

  test.each([1, 2, 15, 16, 17, 100, 500])('a group of %i is read back as it was appended', async (size) => {
    const store = await open();
    const events = Array.from({ length: size }, (_, index) =>
      index % 2 === 0 ? intended(`c${index}`) : finished(`c${index - 1}`),
    );
    const records = await appendAll(store, events);
    expect(await store.query(all)).toStrictEqual(plain(records));
    expect(await store.last()).toStrictEqual(plain(records).at(-1));
    expect(await store.count()).toBe(size);
    expect(await verifyChain(store)).toEqual({
      ok: true,
      events: size,
      first: 1,
      head: records.at(-1)?.hash,
    });
  });

  test('B5.1: any text in any field comes back, and so do large numbers', async () => {
    const store = await open();
    const events = HOSTILE_TEXTS.flatMap((text): (readonly [typeof hub, HubEvent])[] => [
      [agentActor(text), { ...intended(text, text), trace: text } as HubEvent],
      [agentActor(text), finished(text, text)],
      [
        { kind: 'admin', id: text },
        { type: 'policy.changed', policy: text, version: LARGEST, before: text, after: text },
      ],
      [hub, { type: 'config.reloaded', changed: [text], reason: text }],
    ]);
    const records = await appendAll(store, events);
    expect(await store.query(all)).toStrictEqual(plain(records));
    expect(await verifyChain(store)).toMatchObject({ ok: true });
  });

  test('an event keeps its order of members, on which its hash rests', async () => {
    const store = await open();
    const event = { version: '1', type: 'hub.started' } as const satisfies HubEvent;
    await appendAll(store, [event]);
    expect(JSON.stringify((await store.last())?.event)).toBe(JSON.stringify(event));
  });

  test('rows that do not continue the chain are refused, all of them', async () => {
    const store = await open();
    await appendAll(store, [started, started]);
    const [third, fourth, fifth] = await nextRecords(store, [started, started, started]);
    const refused = { code: 'conflict' };
    const attempt = async (records: readonly (EventRecord | undefined)[]) =>
      store.append(records as readonly EventRecord[]);
    const [first] = await store.query({ limit: 1, order: 'oldest' });
    await expect(attempt([fourth]), 'a gap').rejects.toMatchObject(refused);
    await expect(attempt([third, fifth]), 'a gap inside').rejects.toMatchObject(refused);
    await expect(
      attempt([{ ...third!, previousHash: 'x'.repeat(64) }]),
      'another predecessor',
    ).rejects.toMatchObject(refused);
    await expect(attempt([first]), 'the same again').rejects.toMatchObject(refused);
    await expect(
      attempt(chainAfter({ sequence: 0, hash: 'x'.repeat(64) }, [started])),
      'another beginning',
    ).rejects.toMatchObject(refused);
    expect(await store.count()).toBe(2);
    await store.append([third!, fourth!, fifth!]);
    expect(await verifyChain(store)).toMatchObject({ ok: true, events: 5 });
  });

  test('of several that continue the same row one is kept whole', async () => {
    const store = await open();
    await appendAll(store, [started]);
    const head = (await store.last())!;
    const groups = Array.from({ length: 6 }, (_, index) =>
      chainAfter(head, [started, { type: 'hub.started', version: `${index}` }], LARGE_TIME + index),
    );
    const outcomes = await Promise.allSettled(groups.map(async (group) => store.append(group)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'conflict' });
    expect(await verifyChain(store)).toMatchObject({ ok: true, events: 3 });
  });
}

function queryContract(open: () => Promise<EventStore>): void {
  async function filled(): Promise<EventStore> {
    const store = await open();
    await appendAll(store, [
      [hub, started], // 1
      [agentActor('a'), intended('c1', 'linear')],
      [agentActor('b'), intended('c2', 'db')],
      [agentActor('a'), finished('c1', 'linear', 'tool_error')],
      [agentActor('b'), finished('c2', 'db')], // 5
      [admin, { type: 'agent.changed', agent: toAgentId('a') }],
      [admin, { type: 'connector.removed', connector: toConnectorId('db') }],
      [
        agentActor('a'),
        {
          type: 'call.refused',
          callId: toCallId('c3'),
          exposedName: 'x',
          method: 'tools/call',
          outcome: 'denied',
          error: 'policy_denied',
        },
      ],
      [hub, { type: 'auth.refused', surface: 'mcp', reason: 'no key' }], // 9
    ]);
    return store;
  }

  test('a name of any length is kept, and found by its beginning', async () => {
    const store = await open();
    const exposedName = 'long'.repeat(20_000);
    await appendAll(store, [{ ...finished('c1'), exposedName } as HubEvent]);
    const [found] = await store.query({ ...all, tool: exposedName.slice(0, 256) });
    expect(found?.event).toMatchObject({ exposedName });
  });

  test.each<[string, Omit<EventQuery, 'limit' | 'order'>, readonly number[]]>([
    ['everything', {}, [1, 2, 3, 4, 5, 6, 7, 8, 9]],
    ['what an agent did or what was done to it', { agent: toAgentId('a') }, [2, 4, 6, 8]],
    ['a connector', { connector: toConnectorId('db') }, [3, 5, 7]],
    ['a type', { type: 'call.intended' }, [2, 3]],
    ['an outcome', { outcome: 'denied' }, [8]],
    ['a call', { callId: toCallId('c1') }, [2, 4]],
    ['what was called', { tool: 'x' }, [8]],
    ['after a row', { after: 7 }, [8, 9]],
    ['before a row', { before: 3 }, [1, 2]],
    ['between rows', { after: 2, before: 5 }, [3, 4]],
    ['since a time', { since: LARGE_TIME + 7 }, [8, 9]],
    ['until a time', { until: LARGE_TIME + 2 }, [1, 2]],
    [
      'several conditions',
      {
        agent: toAgentId('a'),
        outcome: 'tool_error',
        connector: toConnectorId('linear'),
        after: 1,
        since: LARGE_TIME,
      },
      [4],
    ],
    ['conditions nothing meets', { agent: toAgentId('a'), connector: toConnectorId('db') }, []],
    ['an unknown agent', { agent: toAgentId(`' or '1'='1`) }, []],
    ['an empty range', { after: 5, before: 5 }, []],
  ])('%s', async (_, filter, expected) => {
    const store = await filled();
    expect(sequences(await store.query({ ...filter, limit: 100, order: 'oldest' }))).toEqual(expected);
    expect(sequences(await store.query({ ...filter, limit: 100, order: 'newest' }))).toEqual(
      expected.toReversed(),
    );
    expect(sequences(await store.query({ ...filter, limit: 2, order: 'newest' }))).toEqual(
      expected.toReversed().slice(0, 2),
    );
    expect(sequences(await store.query({ ...filter, limit: 2, order: 'oldest' }))).toEqual(
      expected.slice(0, 2),
    );
  });

  test('the clock may go back; the order is that of writing', async () => {
    const store = await open();
    await appendAll(store, [started], LARGE_TIME);
    await appendAll(store, [started], LARGE_TIME - 3_600_000);
    await appendAll(store, [started], LARGE_TIME + 1);
    expect(sequences(await store.query({ limit: 9, order: 'newest' }))).toEqual([3, 2, 1]);
    expect(sequences(await store.query({ since: LARGE_TIME, limit: 9, order: 'oldest' }))).toEqual([1, 3]);
  });
}

function refusal(callId: string): HubEvent {
  return {
    type: 'call.refused',
    callId: toCallId(callId),
    exposedName: 'linear__t',
    method: 'tools/call',
    outcome: 'failed',
    error: 'audit_unavailable',
  };
}

function unfinishedContract(open: () => Promise<EventStore>): void {
  test('are the intents without an outcome', async () => {
    const store = await open();
    await appendAll(store, [started, intended('c1'), intended('c2'), finished('c1'), intended('c3')]);
    expect((await store.unfinishedCalls()).map(({ event }) => 'callId' in event && event.callId)).toEqual([
      'c2',
      'c3',
    ]);
    await appendAll(store, [finished('c3'), intended('c4')]);
    expect(sequences(await store.unfinishedCalls())).toEqual([3, 7]);
    await appendAll(store, [
      finished('c2', 'linear', 'outcome_unknown'),
      finished('c4', 'linear', 'outcome_unknown'),
    ]);
    expect(await store.unfinishedCalls()).toEqual([]);
    await appendAll(store, [intended('c5')]);
    expect(sequences(await store.unfinishedCalls())).toEqual([10]);
  });

  test('F21: are not those that were refused, because nobody could tell whether their intent was kept', async () => {
    const store = await open();
    await appendAll(store, [intended('c1'), intended('c2'), refusal('c1')]);
    expect(sequences(await store.unfinishedCalls())).toEqual([2]);
    await appendAll(store, [refusal('c2'), refusal('c3'), intended('c4')]);
    expect(sequences(await store.unfinishedCalls())).toEqual([6]);
  });

  test('are found among thousands of finished ones', async () => {
    const store = await open();
    await appendAll(store, [intended('early')]);
    for (let group = 0; group < 6; group++) {
      await appendAll(
        store,
        Array.from({ length: 500 }, (_, index) =>
          index % 2 === 0 ? intended(`${group}-${index}`) : finished(`${group}-${index - 1}`),
        ),
      );
    }
    await appendAll(store, [intended('late')]);
    expect(sequences(await store.unfinishedCalls())).toEqual([1, 3002]);
    await appendAll(store, [finished('early')]);
    for (let group = 0; group < 3; group++) {
      await appendAll(
        store,
        Array.from({ length: 500 }, () => started),
      );
    }
    expect(sequences(await store.unfinishedCalls())).toEqual([3002]);
  });
}

function trimContract(open: () => Promise<EventStore>): void {
  test('removes the oldest rows, and the rest still verifies', async () => {
    const store = await open();
    const records = await appendAll(
      store,
      Array.from({ length: 10 }, () => started),
    );
    await store.trim(4);
    expect(sequences(await store.query(all))).toEqual([5, 6, 7, 8, 9, 10]);
    expect(await store.anchor()).toStrictEqual({ sequence: 4, hash: records[3]?.hash });
    expect(await store.count()).toBe(6);
    expect(await verifyChain(store)).toEqual({ ok: true, events: 6, first: 5, head: records.at(-1)?.hash });
    await store.trim(4);
    await store.trim(0);
    expect(await store.count()).toBe(6);
    await appendAll(store, [started]);
    expect(await verifyChain(store)).toMatchObject({ ok: true, events: 7 });
  });

  test('may leave nothing but the place to continue from', async () => {
    const store = await open();
    const records = await appendAll(store, [started, started, started]);
    await store.trim(1_000);
    expect(await store.last()).toBeUndefined();
    expect(await store.count()).toBe(0);
    expect(await store.anchor()).toStrictEqual({ sequence: 3, hash: records.at(-1)?.hash });
    const again = async () => store.append(records);
    await expect(again()).rejects.toMatchObject({ code: 'conflict' });
    await appendAll(store, [started]);
    expect(sequences(await store.query(all))).toEqual([4]);
    expect(await verifyChain(store)).toMatchObject({ ok: true, events: 1 });
  });

  test('goes on while events are appended', async () => {
    const store = await open();
    for (let group = 0; group < 10; group++)
      await appendAll(
        store,
        Array.from({ length: 500 }, () => started),
      );
    const trimming = store.trim(4_900);
    for (let group = 0; group < 5; group++) await appendAll(store, [started, started]);
    await trimming;
    expect(await verifyChain(store)).toMatchObject({ ok: true, events: 110 });
    expect((await store.anchor()).sequence).toBe(4_900);
  });
}
