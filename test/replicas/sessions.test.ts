import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ServerOptions } from '../../src/mcp/server/index.js';
import { admin } from '../support/admin.js';
import { startAskingUpstream, type AskingUpstream } from '../support/asking-upstream.js';
import { SHARED_BY, useSharedPlace } from '../support/replica-set.js';
import { closeAfterEach } from '../support/resources.js';
import { RovingClient } from '../support/roving-client.js';
import type { EventReader } from '../support/server/event-reader.js';
import { waitForSync, type TestHub } from '../support/start-hub.js';

/** Three replicas, and clients whose requests go now to one and now to another. */

const SOON = { timeout: 10_000 };
const keep = closeAfterEach();
let upstream: AskingUpstream;
let other: AskingUpstream;
const hubs: TestHub[] = [];
let urls: string[] = [];

/** Says progress when it is told to, and answers when it is told to. */
const steps = new Map<string, (step: 'progress' | 'answer') => void>();
const stepping: Partial<ServerOptions> = {
  handlers: {
    'tools/call': (request) =>
      new Promise((resolve) => {
        const { label } = request.params['arguments'] as { label: string };
        let progress = 0;
        steps.set(label, (step) => {
          if (step === 'progress') request.progress({ progress: ++progress });
          else resolve({ content: [{ type: 'text', text: `${label} done` }] });
        });
        request.onAbort(() => steps.delete(label));
      }),
  },
};

function roving(): RovingClient {
  return keep(new RovingClient(urls, hubs[0]!.localKey));
}

/** The next event that has an id and something to say. */
async function nextWithId(reader: EventReader) {
  for (;;) {
    const event = await reader.next();
    if (event === undefined) throw new Error('the stream has ended');
    if (event.data !== '') return event;
  }
}

describe.each(SHARED_BY)('%s', (by) => {
  const place = useSharedPlace(by);
  beforeAll(async () => {
    upstream = await startAskingUpstream('legacy');
    other = await startAskingUpstream('legacy', stepping);
    const connectors = { remote: { url: upstream.url }, steps: { url: other.url } };
    for (let index = 0; index < 3; index++) hubs.push(await place().start({ connectors }));
    for (const hub of hubs) for (const id of Object.keys(connectors)) await waitForSync(hub, id);
    urls = hubs.map(({ url }) => url);
  }, 120_000);

  afterAll(async () => {
    for (const hub of hubs.splice(0)) await hub.close();
    await upstream?.close();
    await other?.close();
  }, 60_000);

  sessionsSuite();
  streamsSuite();
});

function sessionsSuite(): void {
  describe('a legacy session without a home', () => {
    test('each request may go to another replica', async () => {
      const client = await roving().initialize(0, 1);
      for (const at of [2, 0, 1]) {
        const { status, message } = await client.request(at, 'tools/call', {
          name: 'remote__echo',
          arguments: { label: `echo-${at}` },
        });
        expect([status, message.result.content[0].text]).toEqual([200, `"echo-${at}"`]);
      }
      expect((await client.request(1, 'initialize', {})).status).toBe(400);
    });

    test('it is nobody else’s at any replica', async () => {
      const client = await roving().initialize(0, 1);
      await admin(hubs[0]!, 'POST', '/agents', { id: 'eve', name: 'Eve' });
      const { body } = await admin(hubs[0]!, 'POST', '/agents/eve/keys', {});
      const eve = keep(new RovingClient(urls, (body as { key: string }).key));
      eve.session = client.session;
      for (const at of [0, 1, 2]) {
        expect((await eve.request(at, 'ping')).status).toBe(404);
        expect(await eve.delete(at)).toBe(404);
        expect((await eve.get(at)).status).toBe(404);
      }
      expect((await client.request(2, 'ping')).status).toBe(200);
    });

    test('one that ends at one replica has ended at all, with its streams and calls', async () => {
      const client = await roving().initialize(0, 0);
      const stream = await client.get(1);
      const running = await client.begin(2, 'tools/call', {
        name: 'remote__wait',
        arguments: { label: 'ended' },
      });
      await vi.waitFor(() => expect(upstream.running.has('ended')).toBe(true), SOON);
      expect(await client.delete(0)).toBe(204);
      expect(await stream.rest()).toEqual([]);
      expect((await running.rest()).at(-1).error.message).toBe('The session ended');
      for (const at of [0, 1, 2]) expect((await client.request(at, 'ping')).status).toBe(404);
      await vi.waitFor(() => expect(upstream.running.has('ended')).toBe(false), SOON);
    });

    test('an answer given at another replica reaches the question', async () => {
      const client = await roving().initialize(0, 1, { elicitation: {} });
      const call = await client.begin(0, 'tools/call', {
        name: 'remote__form',
        arguments: { label: 'asked', rounds: 2 },
      });
      for (const [at, word] of [
        [1, 'first'],
        [2, 'second'],
      ] as const) {
        const question = await call.message();
        expect(question.method).toBe('elicitation/create');
        const answer = { jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { word } } };
        expect(await client.send(at, answer)).toBe(202);
      }
      const { result } = await call.message();
      expect(JSON.parse(result.content[0].text).map((each: { content: object }) => each.content)).toEqual([
        { word: 'first' },
        { word: 'second' },
      ]);
      // A second answer, and one that nobody asked for, disturb nobody.
      expect(await client.send(2, { jsonrpc: '2.0', id: 'nobody-asked-for-this', result: {} })).toBe(202);
    });

    test('a call is cancelled from another replica', async () => {
      const client = await roving().initialize(0, 1);
      const call = client.begin(
        1,
        'tools/call',
        { name: 'remote__wait', arguments: { label: 'gone' } },
        'mine',
      );
      await vi.waitFor(() => expect(upstream.running.has('gone')).toBe(true), SOON);
      const stranger = await roving().initialize(0, 1);
      await stranger.notify(2, 'notifications/cancelled', { requestId: 'mine' });
      await stranger.request(2, 'ping');
      expect(upstream.running.has('gone')).toBe(true);
      expect(await client.notify(2, 'notifications/cancelled', { requestId: 'mine' })).toBe(202);
      await vi.waitFor(() => expect(upstream.running.has('gone')).toBe(false), SOON);
      expect(await (await call).rest()).toEqual([]);
    });
  });
}

function streamsSuite(): void {
  describe('streams of a session', () => {
    test('one stream, wherever it is, and each change once', async () => {
      const client = await roving().initialize(0, 0);
      const stream = await client.get(1);
      expect((await client.get(2)).status).toBe(409);
      expect(
        (await client.request(2, 'resources/subscribe', { uri: 'test://asking' })).message.result,
      ).toEqual({});
      upstream.touch('test://asking');
      expect((await stream.message()).method).toBe('notifications/resources/updated');
      const forbid = 'forbid (principal, action, resource == Tool::"remote/echo");';
      expect((await admin(hubs[2]!, 'PUT', '/policies/no-echo', { text: forbid })).status).toBeLessThan(300);
      expect((await stream.message()).method).toBe('notifications/tools/list_changed');
      expect((await client.request(0, 'resources/unsubscribe', { uri: 'test://asking' })).status).toBe(200);
      upstream.touch('test://asking');
      await admin(hubs[0]!, 'DELETE', '/policies/no-echo');
      // No second copy of anything came in between.
      expect((await stream.message()).method).toBe('notifications/tools/list_changed');
      await client.delete(2);
      expect(await stream.rest()).toEqual([]);
    });

    test('it moves with its subscriptions, and what came in between is delivered once', async () => {
      const client = await roving().initialize(0, 0);
      const first = await client.get(0);
      const primed = await first.next();
      expect((await client.request(1, 'resources/subscribe', { uri: 'test://asking' })).status).toBe(200);
      await first.cancel();
      upstream.touch('test://asking');
      const second = await client.get(2, primed?.id);
      expect((await second.message()).method).toBe('notifications/resources/updated');
      upstream.touch('test://asking');
      expect((await second.message()).method).toBe('notifications/resources/updated');
      await client.delete(1);
      expect(await second.rest()).toEqual([]);
    });

    test('what waited is delivered when the stream is first opened, at another replica', async () => {
      const client = await roving().initialize(0, 0);
      expect((await client.request(1, 'resources/subscribe', { uri: 'test://asking' })).status).toBe(200);
      upstream.touch('test://asking');
      const stream = await vi.waitFor(async () => {
        const reader = await client.get(2);
        expect(reader.status).toBe(200);
        return reader;
      }, SOON);
      expect((await stream.message()).method).toBe('notifications/resources/updated');
    });

    test('an answer goes on at another replica after a cut, and ends there', async () => {
      const client = await roving().initialize(0, 1);
      const call = await client.begin(0, 'tools/call', {
        name: 'steps__wait',
        arguments: { label: 'cut' },
        _meta: { progressToken: 'p' },
      });
      await vi.waitFor(() => expect(steps.has('cut')).toBe(true), SOON);
      const step = steps.get('cut')!;
      step('progress');
      const { id, message } = await nextWithId(call);
      expect(message.params.progress).toBe(1);
      await call.cancel();
      step('progress');
      const second = await client.get(1, id);
      expect((await second.message()).params.progress).toBe(2);
      step('progress');
      const third = await nextWithId(second);
      expect(third.message.params.progress).toBe(3);
      // Taken up by yet another one: the connection before ends.
      const last = await client.get(2, third.id);
      expect(await second.rest()).toEqual([]);
      step('answer');
      expect((await last.message()).result.content[0].text).toBe('cut done');
      expect(await last.next()).toBeUndefined();
      // It is over, and still there for who comes late.
      const late = await client.get(1, third.id);
      expect((await late.rest()).map(({ result }) => result.content[0].text)).toEqual(['cut done']);
    });

    test('a place that nobody knows is refused', async () => {
      const client = await roving().initialize(0, 1);
      for (const id of ['0123456789ab00000000-7.1', 'nonsense'])
        expect((await client.get(2, id)).status).toBe(400);
    });
  });
}
