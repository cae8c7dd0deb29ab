import { describe, expect, test } from 'vitest';
import { Gate, Harness, JSON_BOTH, request, type Session } from '../../../../test/support/server/harness.js';
import { readSteps, twoSteps } from '../../../../test/support/server/two-steps.js';
import { until } from '../../../../test/support/http/until.js';
import { MemoryEventStore } from './memory-event-store.js';

const CHANGED = 'notifications/tools/list_changed';

/** Starts a call, reads some events of it and loses the connection. Returns the id of the last event read. */
async function lostCall(session: Session, reads: number): Promise<string> {
  const reader = await session.call({}, { progressToken: 'p' });
  let id = '';
  for (let i = 0; i < reads; i++) id = (await reader.next())?.id ?? '';
  await reader.cancel();
  return id;
}

function openGate(): Gate {
  const gate = new Gate();
  gate.open();
  return gate;
}

describe('S72 S74: resuming', () => {
  test('S74: a lost connection cancels nothing, and the rest can be fetched', async () => {
    const gate = new Gate();
    const session = await new Harness({ call: twoSteps(gate) }).session();
    const id = await lostCall(session, 2);
    const reader = await session.get({ 'last-event-id': id });
    gate.open();
    expect(await readSteps(reader)).toEqual([2, { content: [] }]);
  });

  test('S73: from the priming event on, nothing is missed', async () => {
    const gate = new Gate();
    const session = await new Harness({ call: twoSteps(gate), streams: { retryMs: 321 } }).session();
    const reader = await session.call({}, { progressToken: 'p' });
    const primed = await reader.next();
    expect(primed).toMatchObject({ data: '' });
    expect(reader.raw).toContain('retry: 321\n');
    await reader.cancel();
    gate.open();
    const again = await session.get({ 'last-event-id': primed?.id ?? '' });
    expect(await readSteps(again)).toEqual([1, 2, { content: [] }]);
  });

  test('S72: the answer of a finished call', async () => {
    const harness = new Harness({ call: twoSteps(openGate()) });
    const session = await harness.session();
    const id = await lostCall(session, 2);
    expect(await readSteps(await session.get({ 'last-event-id': id }))).toEqual([2, { content: [] }]);
    const all = await session.call({}, { progressToken: 'p' });
    const ids: string[] = [];
    for (let event = await all.next(); event !== undefined; event = await all.next())
      ids.push(event.id ?? '');
    expect(await readSteps(await session.get({ 'last-event-id': ids.at(-1) ?? '' }))).toEqual([]);
    expect(new Set(ids).size).toBe(4);
  });

  test('only the events of that stream', async () => {
    const gate = new Gate();
    const harness = new Harness({ call: twoSteps(gate) });
    const session = await harness.session();
    const [one, two] = [await lostCall(session, 2), await lostCall(session, 1)];
    harness.notifier.toolsChanged();
    gate.open();
    expect(await readSteps(await session.get({ 'last-event-id': one }))).toEqual([2, { content: [] }]);
    expect(await readSteps(await session.get({ 'last-event-id': two }))).toEqual([1, 2, { content: [] }]);
  });

  test('it does not collide with the standing stream', async () => {
    const gate = new Gate();
    const session = await new Harness({ call: twoSteps(gate) }).session();
    const standing = await session.get();
    const id = await lostCall(session, 2);
    const reader = await session.get({ 'last-event-id': id });
    expect(reader.status).toBe(200);
    gate.open();
    expect(await readSteps(reader)).toHaveLength(2);
    await standing.cancel();
  });

  test('the newest connection takes over', async () => {
    const gate = new Gate();
    const session = await new Harness({ call: twoSteps(gate) }).session();
    const first = await session.call({}, { progressToken: 'p' });
    const id = (await first.next())?.id ?? '';
    const second = await session.get({ 'last-event-id': id });
    expect(await readSteps(first)).toEqual([1]);
    gate.open();
    expect(await readSteps(second)).toEqual([1, 2, { content: [] }]);
  });

  test('the standing stream, too', async () => {
    const harness = new Harness();
    const session = await harness.session();
    const first = await session.get();
    await first.next();
    harness.notifier.toolsChanged();
    const heard = await first.next();
    await first.cancel();
    harness.notifier.promptsChanged();
    harness.notifier.resourcesChanged();
    const second = await session.get({ 'last-event-id': heard?.id ?? '' });
    expect((await second.message()).method).toBe('notifications/prompts/list_changed');
    expect((await second.message()).method).toBe('notifications/resources/list_changed');
    harness.notifier.toolsChanged();
    expect((await second.message()).method).toBe(CHANGED);
    expect((await session.get()).status).toBe(409);
    await second.cancel();
    // What was replayed is not told again.
    const third = await session.get();
    harness.notifier.resourcesChanged();
    expect((await third.message()).method).toBe('notifications/resources/list_changed');
    await third.cancel();
  });

  test.each(['2025-06-18', '2025-03-26'])(
    'S73: clients of %s are not primed, but may resume',
    async (revision) => {
      const gate = new Gate();
      const session = await new Harness({ call: twoSteps(gate) }).session({ revision });
      const reader = await session.call({}, { progressToken: 'p' });
      const first = await reader.next();
      expect(first?.data).not.toBe('');
      await reader.cancel();
      gate.open();
      expect(await readSteps(await session.get({ 'last-event-id': first?.id ?? '' }))).toEqual([
        2,
        { content: [] },
      ]);
    },
  );

  test.each([
    ['garbage', 'x'],
    ['of an unknown stream', 'abcd-1.0'],
    ['of the future', undefined],
    ['with a sign', 'abcd-1.-1'],
  ])('S72 M-11: an event id that is %s', async (_name, id) => {
    const gate = new Gate();
    const session = await new Harness({ call: twoSteps(gate) }).session();
    const known = await lostCall(session, 1);
    const answer = await session.get({ 'last-event-id': id ?? known.replace(/\d+$/, '99') });
    expect(answer.status).toBe(400);
    gate.open();
  });

  test('M-11: of another session of the same principal', async () => {
    const gate = new Gate();
    const harness = new Harness({ call: twoSteps(gate) });
    const [one, two] = [await harness.session(), await harness.session()];
    const id = await lostCall(one, 1);
    gate.open();
    expect((await two.get({ 'last-event-id': id })).status).toBe(400);
  });

  test('a stream with a hole is not passed off as whole', async () => {
    const events = new MemoryEventStore({ maxEventsPerSession: 1 });
    const gate = new Gate();
    const session = await new Harness({ call: twoSteps(gate), events }).session();
    const id = await lostCall(session, 1);
    expect((await session.get({ 'last-event-id': id })).status).toBe(200);
    gate.open();
    expect((await session.get({ 'last-event-id': id })).status).toBe(400);
  });

  test('without an event store streams have no ids and cannot be resumed', async () => {
    const gate = new Gate();
    const harness = new Harness({ call: twoSteps(gate), events: false });
    const session = await harness.session();
    const reader = await session.call({}, { progressToken: 'p' });
    expect(await reader.next()).toMatchObject({ id: undefined, message: { params: { progress: 1 } } });
    expect((await session.get({ 'last-event-id': 'abcd-1.0' })).status).toBe(400);
    await reader.cancel();
    gate.open();
    await until(() => harness.count('answer_lost') === 1, 'the answer has nowhere to go');
  });

  test('S74: an answer that never had a stream is lost, and counted', async () => {
    const gate = new Gate();
    const harness = new Harness({
      call: async () => {
        await gate.passed;
        return { content: [] };
      },
    });
    const session = await harness.session();
    const abort = new AbortController();
    const message = JSON.stringify(request(1, 'tools/call', { name: 'echo' }));
    const answer = harness.fetch('POST', { ...JSON_BOTH, ...session.headers }, message, abort.signal);
    answer.catch(() => {});
    await session.request('ping');
    abort.abort();
    gate.open();
    await until(() => harness.events.length > 1, 'it is counted');
    expect(harness.events.at(-1)).toEqual({ type: 'answer_lost', method: 'tools/call' });
  });

  test.each([
    [3, 200],
    [4, 429],
  ])('M-10: GET stream number %i of three', async (number, status) => {
    const gate = new Gate();
    const harness = new Harness({ limits: { streamsPerSession: 3 }, call: twoSteps(gate) });
    const session = await harness.session();
    const readers = [await session.get()];
    for (let i = 2; i <= number; i++)
      readers.push(await session.get({ 'last-event-id': await lostCall(session, 1) }));
    expect(readers.at(-1)?.status).toBe(status);
    gate.open();
    await Promise.all(readers.map((reader) => reader.cancel()));
  });

  test('M-10: a client that comes back for a stream takes the place of its dead connection', async () => {
    const harness = new Harness({ limits: { streamsPerSession: 2 }, call: twoSteps(new Gate()) });
    const session = await harness.session();
    const ids = [await lostCall(session, 1), await lostCall(session, 1), await lostCall(session, 1)];
    const get = (at: number) => session.get({ 'last-event-id': ids[at] ?? '' });
    const readers = [await get(0), await get(1), await get(0), await get(1), await get(2)];
    expect(readers.map((reader) => reader.status)).toEqual([200, 200, 200, 200, 429]);
    await Promise.all(readers.map((reader) => reader.cancel()));
  });
});
