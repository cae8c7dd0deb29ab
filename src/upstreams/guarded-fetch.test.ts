import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
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

const reaching = (url: URL, more: { totalMs?: number } = {}): GuardedFetch =>
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

  test('a redirect is a refusal and never followed', async () => {
    let knocks = 0;
    const canary = await serve((_request, response) => {
      knocks++;
      response.end();
    });
    for (const status of [301, 302, 303, 307, 308]) {
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

  test('what is compressed is bounded by what it becomes', async () => {
    const bodies: Readonly<Record<string, Buffer>> = {
      gzip: gzipSync(Buffer.alloc(8 * 1_048_576)),
      br: brotliCompressSync(Buffer.alloc(8 * 1_048_576)),
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
