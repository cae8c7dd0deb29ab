import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAdminAccount } from '../../src/agents/index.js';
import { openEventLog } from '../../src/governance/index.js';
import { Secret, silentLogger, systemClock, toConnectorId } from '../../src/kernel/index.js';
import { ADMIN_TOKEN, openAdminHub, type AdminHub, type AdminHubOptions } from '../support/admin-hub.js';

let hub: AdminHub;
let server: Server;
let url = '';
const clients: StreamClient[] = [];

async function start(options: AdminHubOptions = {}): Promise<void> {
  hub = await openAdminHub(options);
  const listener = getRequestListener((request, env) => hub.app.fetch(request, env));
  server = createServer((request, response) => void listener(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/events/stream`;
}

beforeEach(() => start());
afterEach(async () => {
  for (const client of clients.splice(0)) client.leave();
  await stop();
});

async function stop(): Promise<void> {
  await hub.close();
  server.closeAllConnections();
  server.close();
}

class StreamClient {
  readonly messages: EventSourceMessage[] = [];
  readonly comments: string[] = [];
  readonly response: Response;
  readonly #abort: AbortController;
  ended: 'no' | 'closed' | 'broken' = 'no';

  constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.#abort = abort;
    clients.push(this);
    this.#read().then(
      () => (this.ended = 'closed'),
      () => (this.ended = 'broken'),
    );
  }

  async #read(): Promise<void> {
    const parser = createParser({
      onEvent: (message) => this.messages.push(message),
      onComment: (comment) => this.comments.push(comment),
    });
    const decoder = new TextDecoder();
    for await (const chunk of this.response.body ?? [])
      parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }));
  }

  get events(): readonly Record<string, unknown>[] {
    return this.messages.map(({ data }) => JSON.parse(data) as Record<string, unknown>);
  }

  leave(): void {
    this.#abort.abort();
  }
}

async function open(query = '', headers: Record<string, string> = {}): Promise<StreamClient> {
  const abort = new AbortController();
  return new StreamClient(
    await fetch(url + query, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...headers },
      signal: abort.signal,
    }),
    abort,
  );
}

function synced(connector: string): void {
  hub.events.append(
    { kind: 'hub' },
    {
      type: 'connector.synced',
      connector: toConnectorId(connector),
      tools: 1,
      added: 0,
      removed: 0,
      changed: 0,
      listedAs: 'shared',
    },
  );
}

async function expectSoon(condition: () => boolean): Promise<void> {
  await expect.poll(condition, { timeout: 5_000, interval: 5 }).toBe(true);
}

test('events come as they are kept, with their sequence as id', async () => {
  synced('before');
  await hub.events.flush();
  const client = await open();
  expect(client.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(client.response.headers.get('cache-control')).toBe('no-store');
  await expectSoon(() => client.comments.length === 1);
  synced('one');
  synced('two');
  await expectSoon(() => client.events.length === 2);
  expect(client.events).toMatchObject([
    { type: 'connector.synced', connector: 'one', sequence: 2, actor: { kind: 'hub' } },
    { type: 'connector.synced', connector: 'two', sequence: 3 },
  ]);
  expect(client.messages.map(({ id }) => id)).toEqual(['2', '3']);
});

test('an admin who was removed hears nothing more; others do', async () => {
  const token = new Secret('viewer-token-0123456789-abcdef');
  const { account } = createAdminAccount({ id: 'reader', name: 'reader', role: 'viewer', now: 0, token });
  hub.browser.admins.configure([account]);
  const other = await open();
  const client = await open('', { authorization: `Bearer ${token.reveal()}` });
  synced('one');
  await expectSoon(() => client.events.length === 1);
  hub.browser.admins.configure([]);
  synced('two');
  await expectSoon(() => client.ended === 'closed');
  expect(client.events.map(({ connector }) => connector)).toEqual(['one']);
  await expectSoon(() => other.events.some(({ connector }) => connector === 'two'));
  expect(other.ended).toBe('no');
});

test('only those that match come', async () => {
  const client = await open('?connector=two&type=connector.synced');
  for (const name of ['one', 'two', 'three', 'two']) synced(name);
  await expectSoon(() => client.events.length === 2);
  expect(client.events.map(({ connector }) => connector)).toEqual(['two', 'two']);
});

test('F53: whoever was away gets what was kept meanwhile, once and in order', async () => {
  for (let round = 0; round < 450; round++) synced(`c${round}`);
  await hub.events.flush();
  const client = await open('', { 'last-event-id': '50' });
  synced('late');
  await expectSoon(() => client.events.length === 401);
  expect(client.messages.map(({ id }) => Number(id))).toEqual(
    Array.from({ length: 401 }, (_, index) => index + 51),
  );
});

test('a place beyond the end of the log is its end', async () => {
  const client = await open('', { 'last-event-id': '999999' });
  await expectSoon(() => client.comments.length === 1);
  synced('one');
  await expectSoon(() => client.events.length === 1);
});

test.each(['-1', 'x', '1.5', '1e3'])('a place that is no sequence is refused: %s', async (place) => {
  const client = await open('', { 'last-event-id': place });
  expect(client.response.status).toBe(400);
});

test('filters are checked like those of a list', async () => {
  expect((await open('?type=none')).response.status).toBe(400);
  expect((await open('?limit=5')).response.status).toBe(400);
});

test('without a token there is no stream', async () => {
  expect((await open('', { authorization: 'Bearer wrong' })).response.status).toBe(401);
});

test('a client that leaves leaves nothing behind, and there is room for the next', async () => {
  await stop();
  await start({ streams: { maxStreams: 1 } });
  const first = await open();
  await expectSoon(() => first.comments.length === 1);
  const refused = await open();
  expect(refused.response.status).toBe(503);
  expect(refused.response.headers.get('retry-after')).toBe('5');
  first.leave();
  await expect.poll(async () => (await open()).response.status, { timeout: 5_000 }).toBe(200);
});

test('a quiet stream shows signs of life', async () => {
  await stop();
  await start({ streams: { keepAliveMs: 20 } });
  const client = await open();
  await expectSoon(() => client.comments.filter((comment) => comment === 'keep-alive').length >= 2);
});

test('events of another hub on the same store are found', async () => {
  await stop();
  await start({ streams: { keepAliveMs: 20 } });
  const client = await open();
  await expectSoon(() => client.comments.length > 0);
  const other = await openEventLog({ store: hub.storage.events, clock: systemClock, logger: silentLogger });
  other.append({ kind: 'hub' }, { type: 'hub.started', version: '1' });
  await other.close();
  await expectSoon(() => client.events.length === 1);
});

test('streams end when the hub does', async () => {
  const client = await open();
  await expectSoon(() => client.comments.length === 1);
  hub.shutdown.abort();
  await expectSoon(() => client.ended === 'closed');
  expect((await open()).response.status).toBe(503);
});

test('a stream that cannot read the log ends, so that the client comes back', async () => {
  const client = await open();
  await expectSoon(() => client.comments.length === 1);
  hub.storage.events.query = async () => {
    throw new Error('no disk');
  };
  synced('one');
  await expectSoon(() => client.ended === 'closed');
});

test('HEAD opens no stream', async () => {
  const response = await fetch(url, { method: 'HEAD', headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
  expect(response.status).toBe(200);
  expect(await response.text()).toBe('');
});
