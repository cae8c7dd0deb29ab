import { describe, expect, test } from 'vitest';
import { Gate, Harness, request, type Fields } from '../../../../test/support/server/harness.js';
import { readSteps, twoSteps } from '../../../../test/support/server/two-steps.js';
import type { Handler } from '../index.js';
import type { EventStore, StoredEvent } from './event-store.js';
import { MemoryEventStore } from './memory-event-store.js';

const CHANGED = 'notifications/tools/list_changed';

/** An event store that answers later, like one behind a network. */
class LateStore implements EventStore {
  readonly #memory = new MemoryEventStore();
  onRead: () => void = () => {};
  async append(...args: Parameters<EventStore['append']>): Promise<void> {
    this.#memory.append(...args);
  }
  async read(...args: Parameters<EventStore['read']>): Promise<readonly StoredEvent[] | undefined> {
    const found = this.#memory.read(...args);
    this.onRead();
    await Promise.resolve();
    return found;
  }
  async forget(...args: Parameters<EventStore['forget']>): Promise<void> {
    this.#memory.forget(...args);
  }
}

function openGate(): Gate {
  const gate = new Gate();
  gate.open();
  return gate;
}

describe('S73: polling', () => {
  const streams = { upgradeAfterMs: 10, closeAfterMs: 10, retryMs: 5 };

  test('a slow answer is primed, let go, and fetched', async () => {
    const gate = new Gate();
    const session = await new Harness({
      call: async () => {
        await gate.passed;
        return { content: [] };
      },
      streams,
    }).session();
    const reader = await session.call();
    const primed = await reader.next();
    expect(primed?.data).toBe('');
    expect(await reader.next()).toBeUndefined();
    gate.open();
    expect(await readSteps(await session.get({ 'last-event-id': primed?.id ?? '' }))).toEqual([
      { content: [] },
    ]);
  });

  test('the version of the session decides, not that of the header', async () => {
    const gate = new Gate();
    const harness = new Harness({
      call: async () => {
        await gate.passed;
        return { content: [] };
      },
      streams,
    });
    const session = await harness.session();
    const old: Fields = { ...session.headers, 'mcp-protocol-version': '2025-03-26' };
    const reader = await harness.stream(request(1, 'tools/call', { name: 'echo' }), old);
    const primed = await reader.next();
    expect(await reader.next()).toBeUndefined();
    gate.open();
    expect(await readSteps(await harness.get({ ...old, 'last-event-id': primed?.id ?? '' }))).toEqual([
      { content: [] },
    ]);
  });

  test('clients that do not know of polling keep their stream', async () => {
    const gate = new Gate();
    const session = await new Harness({
      call: async () => {
        await gate.passed;
        return { content: [] };
      },
      streams: { ...streams, keepAliveMs: 30 },
    }).session({ revision: '2025-06-18' });
    const reader = await session.call();
    while (!reader.raw.includes('keep-alive')) await reader.more();
    gate.open();
    expect(await readSteps(reader)).toEqual([{ content: [] }]);
  });
});

describe('many messages at once', () => {
  const STEPS = Array.from({ length: 150 }, (_, i) => i + 1);

  /** All steps in one go, so that some of them wait for others, and then the answer. */
  const talkative =
    (gate: Gate): Handler =>
    async (r) => {
      for (const progress of STEPS) r.progress({ progress, total: 150, message: 'ü'.repeat(progress % 3) });
      await gate.passed;
      return { content: [] };
    };

  test('they arrive in order, each under an id of its own, before the answer', async () => {
    const session = await new Harness({ call: talkative(openGate()) }).session();
    const reader = await session.call({}, { progressToken: 'p' });
    const ids: (string | undefined)[] = [];
    const told: unknown[] = [];
    for (let event = await reader.next(); event !== undefined; event = await reader.next()) {
      ids.push(event.id?.split('.')[1]);
      if (event.data !== '') told.push(event.message.params?.progress ?? event.message.result);
    }
    expect(told).toEqual([...STEPS, { content: [] }]);
    expect(ids).toEqual([0, ...STEPS, 151].map(String));
  });

  test('whoever comes back in the middle is given the rest', async () => {
    const gate = new Gate();
    const session = await new Harness({ call: talkative(gate) }).session();
    const reader = await session.call({}, { progressToken: 'p' });
    let last = await reader.next();
    while (last !== undefined && last.message?.params?.progress !== 70) last = await reader.next();
    await reader.cancel();
    const resumed = await session.get({ 'last-event-id': last?.id ?? '' });
    gate.open();
    expect(await readSteps(resumed)).toEqual([...STEPS.slice(70), { content: [] }]);
  });

  test('who comes back while some wait to be said misses none, and hears none twice', async () => {
    const gate = new Gate();
    let speak = (): void => {};
    const call: Handler = async (r) => {
      r.progress({ progress: 1 });
      speak = () => [2, 3, 4].forEach((progress) => r.progress({ progress }));
      await gate.passed;
      return { content: [] };
    };
    const session = await new Harness({ call }).session();
    const reader = await session.call({}, { progressToken: 'p' });
    let first = await reader.next();
    while (first !== undefined && first.data === '') first = await reader.next();
    await reader.cancel();
    // In the middle of the request that fetches them.
    const resuming = session.get({ 'last-event-id': first?.id ?? '' });
    speak();
    const resumed = await resuming;
    gate.open();
    expect(await readSteps(resumed)).toEqual([2, 3, 4, { content: [] }]);
  });
});

describe('ports that answer late', () => {
  test.each([
    ['something', [CHANGED]],
    ['nothing', []],
  ])('what is said while a store is read is not missed, with %s before it', async (_name, before) => {
    const events = new LateStore();
    const gate = new Gate();
    const harness = new Harness({ call: twoSteps(gate), events });
    const session = await harness.session();
    const first = await session.get();
    const primed = await first.next();
    await first.cancel();
    if (before.length > 0) harness.notifier.toolsChanged();
    let reads = 0;
    events.onRead = () => {
      if (reads++ === 0) harness.notifier.promptsChanged();
    };
    const second = await session.get({ 'last-event-id': primed?.id ?? '' });
    expect(second.status).toBe(200);
    for (const method of [...before, 'notifications/prompts/list_changed'])
      expect((await second.message()).method).toBe(method);
    await second.cancel();
    gate.open();
  });

  test('a store that fails is reported, and breaks nothing else', async () => {
    const fails = () => Promise.reject(new Error('secret'));
    const harness = new Harness({
      call: twoSteps(openGate()),
      events: { append: fails, read: fails, forget: fails },
    });
    const session = await harness.session();
    const reader = await session.call({}, { progressToken: 'p' });
    expect(await readSteps(reader)).toEqual([1, 2, { content: [] }]);
    const resumed = await session.get({ 'last-event-id': 'abcd-1.0' });
    expect(resumed.status).toBe(500);
    await session.delete();
    expect(harness.count('port_failed')).toBeGreaterThanOrEqual(4);
  });
});
