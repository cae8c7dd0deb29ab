import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { parseConnector } from '../connectors/index.js';
import { HubError, type HubErrorCode } from '../kernel/index.js';
import { createAuthorizationFetch } from './authorization-fetch.js';
import { createGuardedFetch, type GuardedFetch } from './guarded-fetch.js';

const servers: Server[] = [];

async function serve(listener: RequestListener): Promise<URL> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  }
});

async function refusal(outcome: Promise<unknown>): Promise<HubErrorCode> {
  const error = await outcome.then(
    () => new Error('it was allowed'),
    (caught: unknown) => caught,
  );
  if (!(error instanceof HubError)) throw error;
  return error.code;
}

/** Every name leads to this machine. */
const toLoopback = ((_host: string, options: { all?: boolean }, callback: (...args: unknown[]) => void) =>
  options.all === true
    ? callback(null, [{ address: '127.0.0.1', family: 4 }])
    : callback(null, '127.0.0.1', 4)) as never;

const reaching = (url: URL, more: { totalMs?: number; maxBytes?: number } = {}): GuardedFetch =>
  createGuardedFetch({ privateOrigins: [url], ...more });

test('sends and receives like fetch, without cookies', async () => {
  const url = await serve((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      response.setHeader('set-cookie', 'a=b');
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ method: request.method, body, type: request.headers['content-type'] }));
    });
  });
  const answer = await reaching(url)(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ a: 'b c' }),
  });
  expect(await answer.json()).toEqual({
    method: 'POST',
    body: 'a=b+c',
    type: 'application/x-www-form-urlencoded',
  });
  expect(answer.headers.get('set-cookie')).toBeNull();
  const plain = await reaching(url)(url, { method: 'PUT', body: 'text' });
  expect(await plain.json()).toEqual({ method: 'PUT', body: 'text' });
});

test('without a word about it, asks plainly for a plain answer, and hands on status and headers', async () => {
  const url = await serve((request, response) => {
    response.writeHead(request.url === '/nothing' ? 204 : 418, { 'x-a': ['1', '2'], 'content-length': '0' });
    response.end();
    seen.push(
      `${request.method} ${String(request.headers['accept-encoding'])} ${String(request.headers['x-b'])}`,
    );
  });
  const seen: string[] = [];
  const answer = await reaching(url)(url);
  expect([answer.status, answer.headers.get('x-a'), answer.headers.get('content-length')]).toEqual([
    418,
    '1, 2',
    null,
  ]);
  const nothing = await reaching(url)(new URL('/nothing', url), { headers: new Headers({ 'x-b': 'c' }) });
  expect([nothing.status, nothing.body]).toEqual([204, null]);
  expect(seen).toEqual(['GET identity undefined', 'GET identity c']);
});

describe('where it goes', () => {
  test('C69: neither into a private network nor unencrypted, unless permitted', async () => {
    let knocks = 0;
    const url = await serve((_request, response) => {
      knocks++;
      response.end();
    });
    const { port } = url;
    const open = createGuardedFetch();
    for (const address of [url.href, `https://127.0.0.1:${port}/`, `https://localhost:${port}/`])
      expect(await refusal(open(address)), address).toBe('egress_denied');
    for (const address of ['http://example.com/', 'ftp://example.com/', 'https://u:p@example.com/'])
      expect(await refusal(open(address)), address).toBe('egress_denied');
    const other = createGuardedFetch({ privateOrigins: [new URL('http://127.0.0.1:1/')] });
    expect(await refusal(other(url))).toBe('egress_denied');
    expect(knocks).toBe(0);
    expect((await createGuardedFetch({ privateHost: 'localhost' })(url)).status).toBe(200);
  });

  test('B2.1: a name that resolves into a private network is not dialled', async () => {
    const lookup = ((_host: string, options: { all?: boolean }, callback: (...args: unknown[]) => void) =>
      options.all === true
        ? callback(null, [{ address: '10.0.0.1', family: 4 }])
        : callback(null, '10.0.0.1', 4)) as never;
    expect(await refusal(createGuardedFetch({ lookup })('https://as.example/'))).toBe('egress_denied');
  });

  test.each([
    'https://user@127.0.0.1:9/',
    'https://:password@127.0.0.1:9/',
    'ftp://127.0.0.1:9/',
    // Not encrypted, and not the origin that was named.
    'http://127.0.0.1:10/',
    'http://localhost:9/',
    'http://a.example:9/',
    'https://127.0.0.1:10/',
    'https://localhost:9/',
  ])('what was named does not permit %s', async (address) => {
    const privateOrigins = ['http://127.0.0.1:9/', 'ftp://127.0.0.1:9/'].map((url) => new URL(url));
    expect(await refusal(createGuardedFetch({ privateOrigins, lookup: toLoopback })(address))).toBe(
      'egress_denied',
    );
  });

  /** Nobody listens there, so what is permitted cannot be reached. */
  test.each<[string, string, HubErrorCode]>([
    ['localhost', 'http://localhost:9/', 'upstream_unavailable'],
    ['localhost', 'http://127.0.0.2:9/', 'upstream_unavailable'],
    ['localhost', 'http://[::1]:9/', 'upstream_unavailable'],
    ['localhost', 'https://a.localhost:9/', 'upstream_unavailable'],
    ['127.0.0.1', 'http://localhost:9/', 'upstream_unavailable'],
    ['[::1]', 'http://localhost:9/', 'upstream_unavailable'],
    ['a.localhost', 'http://127.0.0.1:9/', 'upstream_unavailable'],
    ['localhost', 'http://10.0.0.1:9/', 'egress_denied'],
    ['localhost', 'https://10.0.0.1:9/', 'egress_denied'],
    ['localhost', 'http://127.example:9/', 'egress_denied'],
    ['localhost', 'https://127.example:9/', 'egress_denied'],
    ['10.0.0.1', 'http://127.0.0.1:9/', 'egress_denied'],
    ['10.0.0.1', 'https://127.0.0.1:9/', 'egress_denied'],
    ['db.internal', 'https://db.internal:9/', 'upstream_unavailable'],
    ['db.internal', 'http://db.internal:9/', 'egress_denied'],
    ['db.internal', 'https://other.internal:9/', 'egress_denied'],
    ['db.internal', 'https://127.0.0.1:9/', 'egress_denied'],
  ])('a host %s that may be private, asked for %s: %s', async (privateHost, address, expected) => {
    expect(await refusal(createGuardedFetch({ privateHost, lookup: toLoopback })(address))).toBe(expected);
  });

  test('an encrypted address of an origin that was named may be reached', async () => {
    const url = new URL('https://127.0.0.1:9/');
    expect(await refusal(createGuardedFetch({ privateOrigins: [url] })(url))).toBe('upstream_unavailable');
  });

  test('a redirect is a refusal and never followed', async () => {
    let knocks = 0;
    const canary = await serve((_request, response) => {
      knocks++;
      response.end();
    });
    for (const status of [300, 301, 302, 303, 305, 307, 308]) {
      const url = await serve((_request, response) => {
        response.writeHead(status, { location: canary.href }).end();
      });
      const fetch = createGuardedFetch({ privateOrigins: [url, canary] });
      expect(await refusal(fetch(url))).toBe('egress_denied');
      const bare = await fetch(url, { redirect: 'manual' });
      expect([bare.status, bare.headers.get('location')]).toEqual([status, null]);
    }
    expect(knocks).toBe(0);
  });

  test('an authorization server has the reach of the connector only on its host or by name', async () => {
    const url = await serve((_request, response) => response.end());
    const connector = (address: string, auth: object, source: 'file' | 'stored' = 'file') =>
      parseConnector('c', { url: address, auth }, { source, now: 1 });
    const fetchFor = createAuthorizationFetch();
    const oauth = { type: 'oauth' };
    expect((await fetchFor(connector('http://localhost:1/mcp', oauth))(url)).status).toBe(200);
    expect(
      (await fetchFor(connector('https://a.example/mcp', { ...oauth, issuer: url.href }))(url)).status,
    ).toBe(200);
    expect(await refusal(fetchFor(connector('https://a.example/mcp', oauth))(url))).toBe('egress_denied');
    expect(await refusal(fetchFor(connector('https://a.example/mcp', oauth, 'stored'))(url))).toBe(
      'egress_denied',
    );
    const stored = connector('https://127.example/mcp', { ...oauth, issuer: 'https://as.example' }, 'stored');
    expect(await refusal(fetchFor(stored)(url))).toBe('egress_denied');
    const process = parseConnector('c', { command: 'node' }, { source: 'file', now: 1 });
    expect(await refusal(fetchFor(process)(url))).toBe('egress_denied');
    expect(fetchFor(process)).toBe(fetchFor(process));
    expect(fetchFor(stored)).not.toBe(fetchFor(process));
  });

  test.each([
    ['oauth', 'issuer'],
    ['oauth', 'authorizationEndpoint'],
    ['oauth', 'tokenEndpoint'],
    ['oauth', 'registrationEndpoint'],
    ['oauth', 'revocationEndpoint'],
    ['client_credentials', 'issuer'],
    ['client_credentials', 'tokenEndpoint'],
  ])('sign-in by %s: the %s that the operator named may be private', async (type, setting) => {
    const url = new URL('http://127.0.0.1:9/x');
    const named = (auth: object) =>
      parseConnector('c', { url: 'https://a.example/mcp', auth }, { source: 'file', now: 1 });
    const given = { type, clientId: 'c', clientSecret: 's', [setting]: url.href };
    expect(await refusal(createAuthorizationFetch()(named(given))(url))).toBe('upstream_unavailable');
    expect(await refusal(createAuthorizationFetch()(named({ type: 'none' }))(url))).toBe('egress_denied');
  });
});

describe('how much', () => {
  test('O-7: 32 MB are not read', async () => {
    let sent = 0;
    const url = await serve((_request, response) => {
      const chunk = Buffer.alloc(65_536, 'x');
      const write = (): void => {
        while (sent < 32 * 1_048_576 && !response.destroyed) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', write);
        }
        response.end();
      };
      write();
    });
    expect(await refusal(reaching(url)(url))).toBe('upstream_too_large');
    expect(sent).toBeLessThan(16 * 1_048_576);
  });

  test('the bound itself is not too much', async () => {
    const url = await serve((request, response) => {
      const body = 'x'.repeat(Number(request.url?.slice(1)));
      if (request.headers['x-zip'] !== undefined) response.setHeader('content-encoding', ' X-GZIP');
      response.end(request.headers['x-zip'] === undefined ? body : gzipSync(body));
    });
    const fetch = reaching(url, { maxBytes: 100 });
    for (const headers of [new Headers(), new Headers({ 'x-zip': '1' })]) {
      expect(await (await fetch(new URL('/100', url), { headers })).text()).toBe('x'.repeat(100));
      expect(await refusal(fetch(new URL('/101', url), { headers }))).toBe('upstream_too_large');
    }
  });

  test('encodings are understood, and an empty answer has none', async () => {
    const bodies: Readonly<Record<string, Buffer>> = {
      br: brotliCompressSync('hello'),
      deflate: deflateSync('hello'),
      identity: Buffer.from('hello'),
      gzip: Buffer.alloc(0),
    };
    const url = await serve((request, response) => {
      const name = request.url?.slice(1) ?? '';
      response.setHeader('content-encoding', name);
      response.end(bodies[name]);
    });
    const texts = Object.keys(bodies).map(async (name) => {
      const answer = await reaching(url)(new URL(`/${name}`, url));
      return [name, await answer.text(), answer.headers.get('content-encoding')];
    });
    expect(await Promise.all(texts)).toEqual([
      ['br', 'hello', null],
      ['deflate', 'hello', null],
      ['identity', 'hello', null],
      ['gzip', '', null],
    ]);
  });

  test('what is compressed is bounded by what it becomes', async () => {
    const bodies: Readonly<Record<string, Buffer>> = {
      gzip: gzipSync(Buffer.alloc(8 * 1_048_576)),
      br: brotliCompressSync(Buffer.alloc(8 * 1_048_576), {
        params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
      }),
    };
    const url = await serve((request, response) => {
      const name = request.url?.slice(1) ?? '';
      response.setHeader('content-encoding', name === 'small' ? 'gzip' : name);
      response.end(name === 'small' ? gzipSync('{"a":1}') : (bodies[name] ?? 'x'));
    });
    const fetch = reaching(url);
    expect(await (await fetch(new URL('/small', url))).json()).toEqual({ a: 1 });
    expect(await refusal(fetch(new URL('/gzip', url)))).toBe('upstream_too_large');
    expect(await refusal(fetch(new URL('/br', url)))).toBe('upstream_too_large');
    expect(await refusal(fetch(new URL('/gzip,gzip', url)))).toBe('upstream_protocol');
    expect(await refusal(fetch(new URL('/deflate', url)))).toBe('upstream_protocol');
  });
});

describe('how long', () => {
  test.each(['nothing', 'headers', 'half a body'])('a server that hangs after %s', async (after) => {
    const url = await serve((_request, response) => {
      if (after === 'headers') response.flushHeaders();
      if (after === 'half a body') response.write('x');
    });
    const begun = performance.now();
    expect(await refusal(reaching(url, { totalMs: 200 })(url))).toBe('upstream_timeout');
    expect(performance.now() - begun).toBeLessThan(2_000);
  });

  test('whoever asked may give up', async () => {
    const url = await serve(() => {});
    const controller = new AbortController();
    const outcome = refusal(reaching(url)(url, { signal: controller.signal }));
    controller.abort();
    expect(await outcome).toBe('cancelled');
  });

  test('a server that is not there', async () => {
    const url = new URL('http://127.0.0.1:9/');
    expect(await refusal(reaching(url)(url))).toBe('upstream_unavailable');
  });
});
