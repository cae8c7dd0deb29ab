import { afterEach, describe, expect, test, vi } from 'vitest';
import { until } from '../../../../test/support/http/until.js';
import { Gate, Session } from '../../../../test/support/server/harness.js';
import { useProcesses } from '../../../../test/support/server/two-processes.js';
import { StoreUnavailable } from './session-store.js';

const pair = useProcesses();

const CHANGED = 'notifications/tools/list_changed';
const UPDATED = 'notifications/resources/updated';

describe('a call that another process runs', () => {
  test('is cancelled through either', async () => {
    let aborted = 0;
    const call = async (r: { signal: AbortSignal }) => {
      await new Promise<void>((resolve) => {
        r.signal.addEventListener('abort', () => {
          aborted++;
          resolve();
        });
      });
      return { content: [] };
    };
    const { one, two, place } = pair({ call });
    const session = await one.session();
    const running = session.call({}, undefined, 'long');
    await until(() => one.events.some(({ type }) => type === 'session_opened'), 'it runs');
    await session.request('ping');
    const elsewhere = new Session(two, session.headers);
    await elsewhere.notify('notifications/cancelled', { requestId: 'long' });
    await until(() => aborted === 1, 'it is cancelled');
    expect(place.told).toEqual([{ kind: 'cancel', id: 'long' }]);
    await (await running).cancel();
  });

  test('gets the answer that reached another one; what belongs to nobody is noted', async () => {
    const { one, two } = pair({
      call: async (r) => {
        const answer = await r.askClient({
          form: {
            method: 'elicitation/create',
            params: { message: 'ok?', requestedSchema: { type: 'object', properties: {} } },
          },
        });
        return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
      },
    });
    const session = await one.session({ capabilities: { elicitation: {} } });
    const reader = await session.call();
    const question = await reader.message();
    expect(question.method).toBe('elicitation/create');
    const elsewhere = new Session(two, session.headers);
    await elsewhere.respond(7, {});
    expect(two.count('unknown_response')).toBe(1);
    await elsewhere.respond('aaaa-nothing', {});
    await until(() => one.count('unknown_response') === 1, 'it is noted where it belongs');
    await elsewhere.respond(question.id, { action: 'accept', content: {} });
    const answer = await reader.message();
    expect(answer.result.content[0].text).toContain('accept');
  });

  test('gets an answer that another one could not hand over at first', async () => {
    const { place, one, two } = pair({
      call: async (r) => {
        const { roots } = await r.askClient({ roots: { method: 'roots/list', params: {} } });
        return { content: [{ type: 'text', text: JSON.stringify(roots) }] };
      },
    });
    const session = await one.session({ capabilities: { roots: {} } });
    const reader = await session.call();
    const question = await reader.message();
    place.isCut = true;
    const elsewhere = new Session(two, session.headers);
    await elsewhere.respond(question.id, { roots: [{ uri: 'file:///here' }] });
    await until(() => place.unheard === 1, 'it was tried in vain');
    place.isCut = false;
    expect((await reader.message()).result.content[0].text).toContain('file:///here');
  });
});

describe('an answer that is followed from another process', () => {
  afterEach(() => void vi.useRealTimers());

  async function follow() {
    const gate = new Gate();
    const { one, two, place } = pair({
      call: async (r) => {
        r.progress({ progress: 1 });
        await gate.passed;
        return { content: [] };
      },
    });
    const session = await one.session();
    const running = await session.call({}, { progressToken: 'p' });
    const { id = '' } = (await running.next()) ?? {};
    await running.cancel();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const reader = await new Session(two, session.headers).get({ 'last-event-id': id });
    expect(reader.status).toBe(200);
    return { place, reader, gate };
  }

  test('is followed for as long as it takes', async () => {
    const { place, reader, gate } = await follow();
    for (let looks = 0; looks < 3; looks++) await vi.advanceTimersByTimeAsync(5_000);
    gate.open();
    for (;;) {
      const message = await reader.message();
      if (message.method === undefined) {
        expect(message.result).toEqual({ content: [] });
        break;
      }
    }
    expect(await reader.next()).toBeUndefined();
    expect(place.told.at(-1)).toMatchObject({ kind: 'end' });
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([
    ['some of what was said is not kept any more', () => []],
    [
      'what was said cannot be read',
      () => {
        throw new Error('away');
      },
    ],
  ])('is not told to a process that cannot follow because %s', async (_why, read) => {
    const gate = new Gate();
    const { one, two, place } = pair({
      call: async (r) => {
        r.progress({ progress: 1 });
        await gate.passed;
        return { content: [] };
      },
    });
    const session = await one.session();
    const running = await session.call({}, { progressToken: 'p' });
    const { id = '' } = (await running.next()) ?? {};
    await running.message();
    await running.cancel();
    vi.spyOn(place.events, 'read').mockImplementation(read);
    await new Session(two, session.headers).get({ 'last-event-id': id });
    gate.open();
    await session.request('ping');
    expect(place.told).toEqual([]);
  });

  test('ends with an error when that process is gone, instead of leaving its client to wait', async () => {
    const { place, reader, gate } = await follow();
    place.lose('aaaa');
    await vi.advanceTimersByTimeAsync(5_000);
    const last = (await reader.rest()).at(-1);
    expect([last.id, last.error.data]).toEqual([1, { reason: 'outcome_unknown' }]);
    gate.open();
  });
});

describe('changes are told by one process', () => {
  test('by the one that saw the handshake completed, and by the other after it took over', async () => {
    const { one, two } = pair();
    const session = await one.session();
    const elsewhere = new Session(two, session.headers);
    await elsewhere.request('ping');
    const first = await session.get();
    one.notifier.toolsChanged();
    two.notifier.toolsChanged();
    expect((await first.message()).method).toBe(CHANGED);
    await first.cancel();
    const second = await elsewhere.get();
    two.notifier.promptsChanged();
    one.notifier.promptsChanged();
    expect((await second.message()).method).toBe('notifications/prompts/list_changed');
    two.notifier.toolsChanged();
    expect((await second.message()).method).toBe(CHANGED);
    await second.cancel();
  });

  test('a client that is connected at one is not taken away by another', async () => {
    const { one, two } = pair();
    const session = await one.session();
    const first = await session.get();
    await first.next();
    const refused = await new Session(two, session.headers).get();
    expect(refused.status).toBe(409);
    one.notifier.toolsChanged();
    expect((await first.message()).method).toBe(CHANGED);
    await first.cancel();
  });

  test('what a client was not told yet moves with it', async () => {
    const { one, two } = pair();
    const session = await one.session();
    one.notifier.toolsChanged();
    const reader = await new Session(two, session.headers).get();
    expect((await reader.message()).method).toBe(CHANGED);
    await reader.cancel();
  });

  test('subscriptions are where the client is told, whoever was asked', async () => {
    const { one, two } = pair();
    const session = await one.session();
    const elsewhere = new Session(two, session.headers);
    const reader = await session.get();
    expect((await elsewhere.request('resources/subscribe', { uri: 'file:///a' })).status).toBe(200);
    await session.request('resources/subscribe', { uri: 'file:///b' });
    two.notifier.resourceUpdated('file:///a');
    one.notifier.resourceUpdated('file:///a');
    expect(await reader.message()).toMatchObject({ method: UPDATED, params: { uri: 'file:///a' } });
    await elsewhere.request('resources/unsubscribe', { uri: 'file:///a' });
    one.notifier.resourceUpdated('file:///a');
    one.notifier.resourceUpdated('file:///b');
    expect(await reader.message()).toMatchObject({ method: UPDATED, params: { uri: 'file:///b' } });
    await session.request('resources/unsubscribe', { uri: 'file:///b' });
    one.notifier.resourceUpdated('file:///b');
    one.notifier.toolsChanged();
    expect((await reader.message()).method).toBe(CHANGED);
    await reader.cancel();
  });

  test('subscriptions outlive the process that held them', async () => {
    const { one, two, place } = pair();
    const session = await one.session();
    await session.request('resources/subscribe', { uri: 'file:///a' });
    place.lose('aaaa');
    await one.server.close();
    const elsewhere = new Session(two, session.headers);
    await elsewhere.request('resources/subscribe', { uri: 'file:///b' });
    const reader = await elsewhere.get();
    // Where nobody knows what was missed, everything is told to have changed; that comes first.
    for (const uri of ['file:///a', 'file:///b']) two.notifier.resourceUpdated(uri);
    const updated: unknown[] = [];
    while (updated.length < 2) {
      const message = await reader.message();
      if (message.method === UPDATED) updated.push(message.params.uri);
    }
    expect(updated).toEqual(['file:///a', 'file:///b']);
    await reader.cancel();
  });
});

describe('a session that ends at one', () => {
  test('ends at the other, with its streams, calls and events', async () => {
    const gate = new Gate();
    const { one, two, place } = pair({
      call: async (r) => {
        r.progress({ progress: 1 });
        await gate.passed;
        return { content: [] };
      },
    });
    const session = await one.session();
    const reader = await session.get();
    await reader.next();
    const running = await session.call({}, { progressToken: 'p' });
    const event = await running.next();
    const elsewhere = new Session(two, session.headers);
    expect((await elsewhere.delete()).status).toBe(204);
    expect(await reader.next()).toBeUndefined();
    expect(one.events).toContainEqual({ type: 'session_ended', reason: 'deleted' });
    expect(two.events).toContainEqual({ type: 'session_ended', reason: 'deleted' });
    expect((await session.request('ping')).status).toBe(404);
    const stream = event?.id?.split('.')[0] ?? '';
    const kept = place.events.read({ principal: 'alice', session: session.id }, stream, 0);
    expect(kept).toBeUndefined();
    await running.cancel();
    gate.open();
  });

  test('a process that closes ends nothing for the others', async () => {
    const { one, two } = pair();
    const session = await one.session();
    await one.server.close();
    expect(one.events).toContainEqual({ type: 'session_ended', reason: 'closed' });
    expect((await new Session(two, session.headers).request('ping')).status).toBe(200);
  });
});

test('a store that is away for a while is told from one that fails', async () => {
  const { one, place } = pair();
  const session = await one.session();
  place.trouble = new StoreUnavailable();
  const later = await session.request('ping');
  expect([later.status, later.headers.get('retry-after')]).toEqual([503, '1']);
  place.trouble = new Error('broken');
  const broken = await session.request('ping');
  expect([broken.status, broken.headers.get('retry-after')]).toEqual([500, null]);
  expect(one.events.filter(({ type }) => type === 'port_failed')).toEqual([
    { type: 'port_failed', port: 'sessions', error: expect.any(StoreUnavailable) as Error },
    { type: 'port_failed', port: 'sessions', error: place.trouble },
  ]);
});
