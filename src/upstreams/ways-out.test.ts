import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { request } from 'undici';
import { parseConnector } from '../connectors/index.js';
import type { HttpLines, TransportError } from '../mcp/transports/index.js';
import { openWaysOut, type WaysOut } from './ways-out.js';

const server = createServer((_request, response) => response.end('hello'));
let origin = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** A connector of the file may lie in a private network, a stored one only with leave. */
function open(entry: object, source: 'file' | 'stored' = 'file'): WaysOut | undefined {
  const connector = parseConnector('c', entry, { source: 'file', now: 1 });
  return openWaysOut({ ...connector, allowPrivateNetwork: source === 'file' });
}

function get(lines: HttpLines, path = '/'): Promise<unknown> {
  return new Promise((resolve) => {
    let text = '';
    try {
      lines.dispatch(
        { origin, path, method: 'GET', headers: [], body: null, headersTimeout: 0, bodyTimeout: 0 },
        {
          onRequestStart() {},
          onResponseStart() {},
          onResponseData: (_, chunk) => (text += chunk.toString()),
          onResponseEnd: () => resolve(text),
          onResponseError: (_, error) => resolve(error),
        },
      );
    } catch (error) {
      resolve(error);
    }
  });
}

test('a process has none', () => {
  expect(open({ command: 'node' })).toBeUndefined();
});

test('without TLS: messages and everything else reach the server, until both are closed', async () => {
  const ways = open({ url: `${origin}/mcp` })!;
  expect(await get(ways.lines)).toBe('hello');
  const { dispatcher } = ways;
  expect(ways.dispatcher).toBe(dispatcher);
  expect(await (await request(origin, { dispatcher })).body.text()).toBe('hello');
  await ways.close();
  await ways.close();
  expect(await get(ways.lines)).toBeInstanceOf(Error);
  await expect(request(origin, { dispatcher })).rejects.toMatchObject({ code: 'UND_ERR_DESTROYED' });
});

test('without leave neither way leads inside', async () => {
  const ways = open({ url: `${origin}/mcp` }, 'stored')!;
  for (const outcome of [
    await get(ways.lines),
    await request(origin, { dispatcher: ways.dispatcher }).catch((error: unknown) => error),
  ])
    expect(outcome).toMatchObject({ code: 'EGRESS_DENIED' } satisfies Partial<TransportError>);
  await ways.close();
});

test('what was never used closes too', async () => {
  await expect(open({ url: `${origin}/mcp` })!.close()).resolves.toBeUndefined();
});

test('with TLS there is one way for both', async () => {
  const ways = open({ url: `https://127.0.0.1:${new URL(origin).port}/mcp` })!;
  expect(ways.lines).toBe(ways.dispatcher);
  await ways.close();
  await expect(request('https://127.0.0.1:9', { dispatcher: ways.dispatcher })).rejects.toMatchObject({
    code: 'UND_ERR_DESTROYED',
  });
});
