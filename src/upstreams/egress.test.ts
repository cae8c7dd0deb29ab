import type { lookup as systemLookup, LookupAddress } from 'node:dns';
import { createServer } from 'node:http';
import { createServer as createNetServer, type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { request } from 'undici';
import { TransportError } from '../mcp/transports/index.js';
import { bare, createEgress, createPlainEgress, guardedLookup, portOf } from './egress.js';

/** Something on loopback that must not be reached; it counts who knocks. */
let knocks = 0;
let port = 0;
const canary = createServer((_request, response) => response.end('hello'));
canary.on('connection', () => knocks++);

beforeEach(async () => {
  knocks = 0;
  await new Promise<void>((resolve) => {
    canary.listen(0, '127.0.0.1', resolve);
  });
  ({ port } = canary.address() as AddressInfo);
});
afterEach(async () => {
  canary.closeAllConnections();
  await new Promise((resolve) => {
    canary.close(resolve);
  });
});

type Lookup = typeof systemLookup;

/** Answers each look-up with the next of these lists of addresses; the last one stays. */
function resolving(...answers: readonly (readonly string[])[]): Lookup {
  let turn = 0;
  const lookup = (
    _host: string,
    options: { all?: boolean },
    callback: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
  ): void => {
    const addresses = (answers[turn++] ?? answers.at(-1) ?? []).map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }));
    if (options.all === true) callback(null, addresses);
    else callback(null, addresses[0]?.address ?? '', addresses[0]?.family);
  };
  return lookup as unknown as Lookup;
}

async function dial(
  url: string,
  { privateOrigin, lookup }: { privateOrigin?: string; lookup?: Lookup } = {},
): Promise<unknown> {
  const origin = privateOrigin === undefined ? undefined : new URL(privateOrigin);
  const dispatcher = createEgress({ privateOrigin: origin, connectMs: 300 }, lookup);
  try {
    const answer = await request(url, { dispatcher });
    return await answer.body.text();
  } catch (error) {
    return error;
  } finally {
    await dispatcher.destroy();
  }
}

/** The same over connections with framing of our own. */
async function dialPlainly(
  url: string,
  { privateOrigin, lookup }: { privateOrigin?: string; lookup?: Lookup } = {},
): Promise<unknown> {
  const origin = privateOrigin === undefined ? undefined : new URL(privateOrigin);
  const target = new URL(url);
  const lines = createPlainEgress(target, { privateOrigin: origin, connectMs: 300 }, lookup);
  try {
    return await new Promise((resolve) => {
      let text = '';
      lines.dispatch(
        {
          origin: target.origin,
          path: target.pathname,
          method: 'GET',
          headers: [],
          body: null,
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        {
          onRequestStart() {},
          onResponseStart() {},
          onResponseData: (_, chunk) => (text += chunk.toString()),
          onResponseEnd: () => resolve(text),
          onResponseError: (_, error) => resolve(error),
        },
      );
    });
  } catch (error) {
    return error;
  } finally {
    await lines.destroy();
  }
}

const isDenied = (outcome: unknown): boolean =>
  outcome instanceof TransportError && outcome.code === 'EGRESS_DENIED';

describe('without leave', () => {
  test.each([
    (at: number) => `http://127.0.0.1:${at}`,
    (at: number) => `http://127.1:${at}`,
    (at: number) => `http://2130706433:${at}`,
    (at: number) => `http://0x7f000001:${at}`,
    (at: number) => `http://[::ffff:127.0.0.1]:${at}`,
    (at: number) => `http://[64:ff9b::7f00:1]:${at}`,
    (at: number) => `http://localhost:${at}`,
    (at: number) => `http://localhost.:${at}`,
    (at: number) => `http://0.0.0.0:${at}`,
  ])('B2.1: a private address is not dialled, however it is written', async (urlOf) => {
    expect(isDenied(await dial(urlOf(port)))).toBe(true);
    expect(isDenied(await dialPlainly(urlOf(port)))).toBe(true);
    expect(knocks).toBe(0);
  });

  test.each([
    [['127.0.0.1']],
    [['::1']],
    [['10.0.0.1']],
    [['169.254.169.254']],
    [['::ffff:127.0.0.1']],
    [['93.184.215.14', '127.0.0.1']],
    [[]],
  ])('B2.1: a name that leads to %j is not dialled', async (addresses) => {
    for (const way of [dial, dialPlainly]) {
      const outcome = await way(`http://innocent.example:${port}`, { lookup: resolving(addresses) });
      expect(isDenied(outcome)).toBe(true);
    }
    expect(knocks).toBe(0);
  });

  test('B2.1: a name that changes its mind gains nothing', async () => {
    const dispatcher = createEgress(
      { privateOrigin: undefined, connectMs: 200 },
      resolving(['93.184.215.14'], ['127.0.0.1']),
    );
    const url = `http://rebinding.example:${port}`;
    const first: unknown = await request(url, { dispatcher }).catch((error: unknown) => error);
    const second: unknown = await request(url, { dispatcher }).catch((error: unknown) => error);
    await dispatcher.destroy();
    expect(first).toBeInstanceOf(Error);
    expect(isDenied(first)).toBe(false);
    expect(isDenied(second)).toBe(true);
    expect(knocks).toBe(0);
  });
});

describe('with leave for one origin', () => {
  test('exactly that host and port may be private', async () => {
    const privateOrigin = `http://127.0.0.1:${port}/mcp`;
    for (const way of [dial, dialPlainly]) {
      expect(await way(`http://127.0.0.1:${port}/other`, { privateOrigin })).toBe('hello');
      expect(isDenied(await way(`http://127.0.0.1:${port + 1}`, { privateOrigin }))).toBe(true);
      expect(isDenied(await way(`http://127.0.0.2:${port}`, { privateOrigin }))).toBe(true);
      expect(isDenied(await way(`http://localhost:${port}`, { privateOrigin }))).toBe(true);
    }
    expect(knocks).toBe(2);
  });

  test('a name the operator vouches for may lead inside; no other name may', async () => {
    const privateOrigin = `http://db.internal:${port}/mcp`;
    expect(
      await dial(`http://db.internal:${port}/mcp`, { privateOrigin, lookup: resolving(['127.0.0.1']) }),
    ).toBe('hello');
    expect(
      isDenied(
        await dial(`http://other.internal:${port}/mcp`, { privateOrigin, lookup: resolving(['127.0.0.1']) }),
      ),
    ).toBe(true);
  });

  test('a redirect does not inherit it', async () => {
    const redirecting = createServer((_request, response) =>
      response.writeHead(307, { location: `http://127.0.0.1:${port}/` }).end(),
    );
    await new Promise<void>((resolve) => {
      redirecting.listen(0, '127.0.0.1', resolve);
    });
    const { port: own } = redirecting.address() as AddressInfo;
    expect(await dial(`http://127.0.0.1:${own}/`, { privateOrigin: `http://127.0.0.1:${own}/` })).toBe('');
    expect(knocks).toBe(0);
    redirecting.closeAllConnections();
    redirecting.close();
  });
});

test.each([
  ['example.com', 'example.com'],
  ['[::1]', '::1'],
  ['127.0.0.1', '127.0.0.1'],
])('the host %s is dialled as %s', (hostname, dialled) => {
  expect(bare(hostname)).toBe(dialled);
});

test.each([
  ['https://a.example/', '443'],
  ['http://a.example/', '80'],
  ['https://a.example:8443/', '8443'],
  ['http://a.example:443/', '443'],
])('%s means port %s', (url, expected) => {
  expect(portOf(new URL(url))).toBe(expected);
});

describe('with leave by rule', () => {
  test.each([
    ['http://127.0.0.1/', '127.0.0.1 80'],
    ['https://127.0.0.1/', '127.0.0.1 443'],
    ['https://[::1]:8443/', '::1 8443'],
    ['http://db.internal:9/', 'db.internal 9'],
  ])('%s is asked about as %s; without a yes it is not dialled', async (url, expected) => {
    const asked: string[] = [];
    const mayBePrivate = (hostname: string, at: string): boolean => {
      asked.push(`${hostname} ${at}`);
      return false;
    };
    const dispatcher = createEgress({ mayBePrivate, connectMs: 300 }, resolving(['127.0.0.1']));
    const outcome: unknown = await request(url, { dispatcher }).catch((error: unknown) => error);
    await dispatcher.destroy();
    expect(isDenied(outcome)).toBe(true);
    expect(asked).toEqual([expected]);
  });

  test('with a yes it is', async () => {
    const dispatcher = createEgress({ mayBePrivate: () => true, connectMs: 300 });
    const answer = await request(`http://127.0.0.1:${port}`, { dispatcher });
    expect(await answer.body.text()).toBe('hello');
    await dispatcher.destroy();
  });
});

describe('looking up', () => {
  const look = (lookup: Lookup, options: { all?: boolean }): Promise<readonly unknown[]> =>
    new Promise((resolve) => {
      guardedLookup(lookup)('a.example', options as { all: true }, (...answer) => resolve(answer));
    });

  test('what is public is passed on as it came', async () => {
    const lookup = resolving(['93.184.215.14', '2606:4700::1111']);
    expect(await look(lookup, {})).toEqual([null, '93.184.215.14', 4]);
    expect((await look(lookup, { all: true }))[1]).toEqual([
      { address: '93.184.215.14', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]);
  });

  test('a name that is not found stays so', async () => {
    const missing = new Error('not found');
    const lookup = ((_host: string, _options: object, callback: (error: Error) => void) =>
      callback(missing)) as unknown as Lookup;
    expect((await look(lookup, {}))[0]).toBe(missing);
  });

  test('what is private is refused in either form, and nothing was sent', async () => {
    for (const all of [true, false]) {
      const [error] = await look(resolving(['10.0.0.1']), { all });
      expect(isDenied(error)).toBe(true);
      expect((error as TransportError).mayHaveArrived).toBe(false);
    }
  });
});

test('a connection that does not come about in time is given up', async () => {
  // Accepts at TCP level only as long as its backlog has room, and never speaks TLS.
  const silent = createNetServer(() => {});
  await new Promise<void>((resolve) => {
    silent.listen(0, '127.0.0.1', resolve);
  });
  const { port: at } = silent.address() as AddressInfo;
  const before = performance.now();
  expect(await dial(`https://127.0.0.1:${at}`, { privateOrigin: `https://127.0.0.1:${at}` })).toBeInstanceOf(
    Error,
  );
  expect(performance.now() - before).toBeLessThan(3_000);
  silent.close();
});
