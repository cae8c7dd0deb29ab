import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventsOf } from '../support/hub-events.js';
import { startIdentityProvider, type IdentityProvider } from '../support/identity-provider.js';
import { startTestHub, type TestHub } from '../support/start-hub.js';

/** Sends what is refused or counted as somebody for whom, so the header says, a proxy asks. */
type Attempt = (hub: TestHub, forwardedFor: string) => Promise<number>;

async function send(
  hub: TestHub,
  path: string,
  forwardedFor: string,
  init: RequestInit = {},
): Promise<number> {
  const headers = {
    ...(init.headers as Record<string, string> | undefined),
    'x-forwarded-for': forwardedFor,
  };
  const answer = await fetch(new URL(path, hub.url), { ...init, headers, redirect: 'manual' });
  await answer.arrayBuffer();
  return answer.status;
}

const WRONG = { authorization: 'Bearer wrong-token-0123456789' };
const ATTEMPTS: Readonly<Record<string, Attempt>> = {
  'the admin API': (hub, from) => send(hub, '/api/v1/status', from, { headers: WRONG }),
  '/metrics': (hub, from) => send(hub, '/metrics', from, { headers: WRONG }),
  'the form to sign in': (hub, from) => signIn(hub, from, 'wrong-token-0123456789'),
  'the way to the identity provider': (hub, from) => send(hub, '/sign-in/provider', from),
  'answers of authorization servers': (hub, from) =>
    send(hub, `/oauth/callback?state=${'f'.repeat(43)}`, from),
  'the registration of clients': (hub, from) =>
    send(hub, '/oauth/register', from, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    }),
};

function signIn(hub: TestHub, from: string, secret: string): Promise<number> {
  return send(hub, '/sign-in', from, {
    method: 'POST',
    headers: { origin: hub.url, 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ secret }),
  });
}

/** More than any of them lets pass. */
const MANY = 110;

async function attemptsUntilRefused(attempt: (round: number) => Promise<number>): Promise<number> {
  for (let round = 0; round < MANY; round++) if ((await attempt(round)) === 429) return round;
  return Infinity;
}

let provider: IdentityProvider;
let trusting: TestHub;
let strict: TestHub;
beforeAll(async () => {
  provider = await startIdentityProvider();
  const { issuer, clientId, clientSecret } = provider;
  const start = (trustedProxies: readonly string[]): Promise<TestHub> =>
    startTestHub({
      config: {
        server: { trustedProxies },
        auth: { server: { enabled: true } },
        admin: { oidc: { issuer, clientId, clientSecret, roles: { owner: ['ann@example.com'] } } },
      },
    });
  trusting = await start(['127.0.0.0/8', '192.0.2.10']);
  // The tests come from another address than this proxy's.
  strict = await start(['192.0.2.10']);
});
afterAll(async () => {
  await trusting?.close();
  await strict?.close();
  await provider?.close();
});

describe.each(Object.entries(ATTEMPTS))('%s', (name, attempt) => {
  const place = Object.keys(ATTEMPTS).indexOf(name);

  test('B4.5: strangers behind a trusted proxy have to wait one by one', async () => {
    const [stranger, neighbour] = [`203.0.113.${place}`, `198.51.100.${place}`];
    const passed = await attemptsUntilRefused((round) =>
      // What a client writes into the header itself stands before what proxies add.
      attempt(trusting, `10.0.0.${round}, ${stranger}, 192.0.2.10`),
    );
    expect(passed).toBeGreaterThan(0);
    expect(passed).toBeLessThan(Infinity);
    expect(await attempt(trusting, stranger)).toBe(429);
    expect(await attempt(trusting, neighbour)).not.toBe(429);
    // Nor is it held against the proxy.
    expect(await attempt(trusting, 'unknown')).not.toBe(429);
  });
});

describe('H-38: nobody but a trusted proxy chooses an address by a header', () => {
  // The first three count together, so one of them has to do.
  test.each(Object.entries(ATTEMPTS).slice(2))('%s', async (_name, attempt) => {
    const passed = await attemptsUntilRefused((round) => attempt(strict, `203.0.113.${round}`));
    expect(passed).toBeLessThan(Infinity);
  });
});

test('B4.5: wrong tokens of a stranger keep nobody else behind the proxy from signing in', async () => {
  const passed = await attemptsUntilRefused(() => signIn(trusting, '203.0.113.99', 'wrong-token-0123456789'));
  expect(passed).toBe(10);
  expect(await signIn(trusting, '203.0.113.99', trusting.adminToken)).toBe(429);
  expect(await signIn(trusting, '198.51.100.99', trusting.adminToken)).toBe(303);
});

describe('what is written down of a refused key names the client', () => {
  test.each([
    ['read by the front', '/mcp', '203.0.113.70'],
    ['read by the parser of Node', '/mcp?x=1', '203.0.113.71'],
  ])('%s', async (_name, path, from) => {
    for (const hub of [trusting, strict]) expect(await callWithWrongKey(hub, path, from)).toBe(401);
    const reasonsOf = async (hub: TestHub): Promise<string> =>
      (await eventsOf(hub, 'auth.refused'))
        .filter(({ surface }) => surface === 'mcp')
        .map(({ reason }) => reason)
        .join('\n');
    expect(await reasonsOf(trusting)).toContain(`from ${from}`);
    expect(await reasonsOf(strict)).not.toContain(from);
    expect(await reasonsOf(strict)).toContain('from 127.0.0.1');
  });
});

/** Not by `fetch`, which may take a connection that was left to the parser of Node before. */
function callWithWrongKey(hub: TestHub, path: string, from: string): Promise<number> {
  const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const headers = {
    ...WRONG,
    'content-type': 'application/json',
    'content-length': body.length,
    'x-forwarded-for': from,
  };
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, hub.url), { method: 'POST', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
