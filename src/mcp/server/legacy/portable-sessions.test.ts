import { describe, expect, test } from 'vitest';
import { Harness, initialize, Session } from '../../../../test/support/server/harness.js';
import type { EventStore } from './event-store.js';
import { MemoryEventStore } from './memory-event-store.js';
import { MemorySessionStore } from './memory-session-store.js';
import type { SessionRecord, SessionStore } from './session-store.js';

/** A store that answers later, and outlives the servers that use it. */
class SharedStore implements SessionStore {
  readonly #memory = new MemorySessionStore({ perPrincipal: 2 });
  async add(record: SessionRecord): Promise<boolean> {
    // What leaves the process is data.
    return this.#memory.add(structuredClone(record));
  }
  async find(principal: string, id: string): Promise<SessionRecord | undefined> {
    return structuredClone(this.#memory.find(principal, id));
  }
  async update(record: SessionRecord): Promise<void> {
    this.#memory.update(structuredClone(record));
  }
  async remove(principal: string, id: string): Promise<void> {
    this.#memory.remove(principal, id);
  }
}

describe('sessions in a store that several processes share', () => {
  test('D11: one of a version that is left out since is not known, so that its client begins anew', async () => {
    const sessions = new SharedStore();
    const opened = await new Harness({ sessions }).session({ revision: '2025-03-26' });
    const moved = new Session(new Harness({ sessions, oldestRevision: '2025-06-18' }), opened.headers);
    expect((await moved.request('ping')).status).toBe(404);
    expect((await moved.post([{ jsonrpc: '2.0', id: 1, method: 'ping' }])).status).toBe(404);
    expect((await moved.delete()).status).toBe(404);
  });

  test('a session opened by one server is served by another', async () => {
    const sessions = new SharedStore();
    const call = (r: { log: (message: { level: 'info'; data: string }) => void; client: unknown }) => {
      r.log({ level: 'info', data: 'x' });
      return { content: [], client: r.client as never };
    };
    const describeLater = async () => ({
      info: { name: 'x', version: '1' },
      capabilities: { tools: { listChanged: true }, logging: {} },
    });
    const [one, two] = [
      new Harness({ sessions, call, describe: describeLater }),
      new Harness({ sessions, call, describe: describeLater }),
    ];
    const opened = await one.session({ capabilities: { roots: {} } });
    await opened.request('logging/setLevel', { level: 'info' });
    const moved = new Session(two, opened.headers);
    const messages = await (await moved.call()).rest();
    expect(messages.map((message) => message.method ?? message.result.client)).toEqual([
      'notifications/message',
      { info: { name: 'tester', version: '1' }, capabilities: { roots: {} } },
    ]);
    // What was changed there counts here.
    await moved.request('logging/setLevel', { level: 'error' });
    expect((await opened.request('tools/call', { name: 'echo' })).body.result).toBeDefined();
    // The other server knows that the handshake is complete, and tells of changes.
    const reader = await moved.get();
    two.notifier.toolsChanged();
    expect((await reader.message()).method).toBe('notifications/tools/list_changed');
    expect((await moved.delete()).status).toBe(204);
    expect((await opened.request('ping')).status).toBe(404);
    expect(one.events).toContainEqual({ type: 'session_ended', reason: 'expired' });
    await reader.cancel();
  });

  test('principals, limits and second handshakes hold there, too', async () => {
    const harness = new Harness({ sessions: new SharedStore() });
    const session = await harness.session();
    expect((await session.post(initialize())).status).toBe(400);
    expect((await session.request('ping', {}, { authorization: 'Bearer bob' })).status).toBe(404);
    await harness.session();
    expect((await harness.post(initialize())).status).toBe(429);
  });

  test('a stream is resumed where its events are kept', async () => {
    const sessions = new SharedStore();
    const events = new MemoryEventStore();
    const call = async (r: { progress: (update: { progress: number }) => void }) => {
      r.progress({ progress: 1 });
      return { content: [] };
    };
    const [one, two] = [new Harness({ sessions, events, call }), new Harness({ sessions, events, call })];
    const opened = await one.session();
    const reader = await opened.call({}, { progressToken: 1 });
    const primed = await reader.next();
    await reader.rest();
    const resumed = await new Session(two, opened.headers).get({ 'last-event-id': primed?.id ?? '' });
    expect(await resumed.rest()).toHaveLength(2);
  });

  test('a client that comes back for a stream whose session ends while its events are looked for', async () => {
    const kept = new MemoryEventStore();
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const events: EventStore = {
      append: (key, event) => kept.append(key, event),
      forget: (key) => kept.forget(key),
      read: (key, stream, seq) => {
        const found = kept.read(key, stream, seq);
        return held.then(() => found);
      },
    };
    const harness = new Harness({ events });
    const session = await harness.session();
    const first = await session.get();
    const primed = await first.next();
    await first.cancel();
    const headers = { ...session.headers, accept: 'text/event-stream', 'last-event-id': primed?.id ?? '' };
    const coming = harness.fetch('GET', headers);
    expect((await session.delete()).status).toBe(204);
    release();
    const answer = await coming;
    expect(answer.status).toBe(404);
    await answer.body?.cancel();
  });

  test.each([
    ['late', () => Promise.reject(new Error('secret'))],
    [
      'at once',
      () => {
        throw new Error('secret');
      },
    ],
  ])('a store that fails %s', async (_name, fails) => {
    const harness = new Harness({ sessions: { add: fails, find: fails, update: fails, remove: fails } });
    const answers = [
      await harness.post(initialize()),
      await harness.post(initialize(), { 'mcp-session-id': 'x' }),
      await harness.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-session-id': 'x' }),
      await harness.send('DELETE', { 'mcp-session-id': 'x' }),
      await harness.send('GET', { 'mcp-session-id': 'x', accept: 'text/event-stream' }),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([500, 500, 500, 500, 500]);
    expect(answers.map((answer) => answer.text).join('')).not.toContain('secret');
    expect(harness.count('port_failed')).toBe(5);
  });

  test('a description that fails', async () => {
    const harness = new Harness({ describe: () => Promise.reject(new Error('secret')) });
    const answer = await harness.post(initialize());
    expect([answer.status, answer.body.error.code, answer.text.includes('secret')]).toEqual([
      500,
      -32603,
      false,
    ]);
    const stateless = new Harness({
      legacy: 'stateless',
      describe: () => Promise.reject(new Error('secret')),
    });
    expect((await stateless.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).status).toBe(500);
  });
});

test('the standing stream moves with its session', async () => {
  const sessions = new SharedStore();
  const events = new MemoryEventStore();
  const [one, two] = [new Harness({ sessions, events }), new Harness({ sessions, events })];
  const opened = await one.session();
  const first = await opened.get();
  const primed = await first.next();
  await first.cancel();
  one.notifier.toolsChanged();
  await one.server.close();
  const second = await new Session(two, opened.headers).get({ 'last-event-id': primed?.id ?? '' });
  expect((await second.message()).method).toBe('notifications/tools/list_changed');
  two.notifier.promptsChanged();
  expect((await second.message()).method).toBe('notifications/prompts/list_changed');
  await second.cancel();
});
