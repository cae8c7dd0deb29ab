import type * as Dns from 'node:dns';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { admin } from '../support/admin.js';
import { startUpstream, type ScriptedUpstream } from '../support/scripted-upstream.js';
import { startTestHub, type TestHub } from '../support/start-hub.js';

/** Where the hub goes at the word of others, and where it does not. The long table of addresses is tested beside the code. */

type Answers = readonly (readonly string[])[];
/** What names lead to, in turn; the last answer stays. */
const NAMES: Readonly<Record<string, Answers>> = vi.hoisted(() => ({
  'inside.example': [['127.0.0.1']],
  'inside6.example': [['::1']],
  'mapped.example': [['::ffff:127.0.0.1']],
  'cloud.example': [['169.254.169.254']],
  'both.example': [['93.184.215.14', '127.0.0.1']],
  'nothing.example': [[]],
  'rebinding.example': [['93.184.215.14'], ['127.0.0.1']],
}));

/** How often each was looked up. */
const TURNS = vi.hoisted(() => new Map<string, number>());

vi.mock('node:dns', async (load) => {
  const real = await load<typeof Dns>();
  const lookup = (
    host: string,
    options: { all?: boolean },
    callback: (error: Error | null, address: unknown, family?: number) => void,
  ): void => {
    const answers = NAMES[host];
    if (answers === undefined) return real.lookup(host, options as never, callback as never);
    const turn = TURNS.get(host) ?? 0;
    TURNS.set(host, turn + 1);
    const found = (answers[turn] ?? answers.at(-1) ?? []).map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }));
    if (options.all === true) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  };
  return { ...real, lookup, default: { ...real, lookup } };
});

let hub: TestHub;
let port = 0;
let knocks = 0;
/** Counts whoever connects, over whichever address of this machine. */
const canary = createServer((socket) => {
  knocks++;
  socket.on('error', () => {});
  socket.destroy();
});
const redirecting: ScriptedUpstream[] = [];

/** Where the answers of a server that sends everybody elsewhere lead to. */
const LOCATIONS: readonly (readonly [status: number, to: (at: number) => string])[] = [
  ...[301, 302, 303, 307, 308].map(
    (status) => [status, (at: number) => `http://127.0.0.1:${at}/mcp`] as const,
  ),
  [307, () => 'file:///etc/passwd'],
  [307, () => '/mcp'],
  [302, (at) => `//localhost:${at}/mcp`],
];

beforeAll(async () => {
  await new Promise<void>((resolve) => canary.listen(0, resolve));
  ({ port } = canary.address() as AddressInfo);
  for (const [status, to] of LOCATIONS)
    redirecting.push(
      await startUpstream({
        intercept: (_, response) => response.writeHead(status, { location: to(port) }).end() !== undefined,
      }),
    );
  const connectors = Object.fromEntries(
    redirecting.map(({ url }, n) => [`redirect${n}`, { url, retries: 0 }]),
  );
  hub = await startTestHub({ config: { connectors } });
}, 60_000);

afterAll(async () => {
  await hub?.close();
  for (const upstream of redirecting) await upstream.close();
  canary.close();
});

const HOSTS = `
  127.0.0.1 127.1 2130706433 0x7f000001 0177.0.0.1 0.0.0.0 127.0.0.1. 10.0.0.1 169.254.169.254
  [::1] [::] [::ffff:127.0.0.1] [64:ff9b::7f00:1] [2002:7f00:1::] [fec0::1] [fd00:ec2::254]
  localhost localhost. LOCALHOST a.localhost ⓛocalhost １２７.0.0.1
`
  .trim()
  .split(/\s+/);

describe('B2.2: an address inside is refused, however it is written', () => {
  test.each(HOSTS.flatMap((host) => [`https://${host}`, `http://${host}`]))('%s', async (origin) => {
    const body = { id: 'inside', url: `${origin}:${port}/mcp` };
    for (const path of ['/connectors', '/connectors/check']) {
      const answer = await admin(hub, 'POST', path, body);
      expect([answer.status, JSON.stringify(answer.body)]).toEqual([
        400,
        expect.stringContaining('url: points into'),
      ]);
    }
    expect(knocks).toBe(0);
  });

  test.each(['user@127.0.0.1', 'user:hunter2@server.example'])('with a user: %s', async (host) => {
    const answer = await admin(hub, 'POST', '/connectors', {
      id: 'inside',
      url: `https://${host}:${port}/mcp`,
    });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).not.toContain('hunter2');
    expect(knocks).toBe(0);
  });
});

describe('B2.1: a name that leads inside is not followed', () => {
  const sync = (id: string) => admin(hub, 'POST', `/connectors/${id}/sync`);
  const add = async (host: string): Promise<string> => {
    const id = host.replace('.example', '');
    const timeouts = { requestMs: 500, totalMs: 500 };
    const url = `https://${host}:${port}/mcp`;
    expect((await admin(hub, 'POST', '/connectors', { id, url, timeouts, retries: 0 })).status).toBe(201);
    return id;
  };

  test.each(Object.keys(NAMES).filter((host) => host !== 'rebinding.example'))('%s', async (host) => {
    const answer = await sync(await add(host));
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([
      502,
      expect.stringContaining('egress_denied'),
    ]);
    expect(knocks).toBe(0);
  });

  test('rebinding.example: what was said before does not count', async () => {
    const id = await add('rebinding.example');
    const texts: string[] = [];
    for (let n = 0; n < 3; n++) texts.push(JSON.stringify((await sync(id)).body));
    expect(TURNS.get('rebinding.example')).toBeGreaterThan(1);
    expect(texts.at(-1)).toContain('egress_denied');
    expect(knocks).toBe(0);
  });
});

describe('B2.5, U-10: nobody is led elsewhere', () => {
  test.each(LOCATIONS.map(([status, to], n) => [n, status, to(1)]))('%i: %i to %s', async (n) => {
    const upstream = redirecting[n];
    const before = upstream?.seen.length ?? 0;
    const answer = await admin(hub, 'POST', `/connectors/redirect${n}/sync`);
    expect(answer.status).toBe(502);
    expect(JSON.stringify(answer.body)).not.toContain('root:');
    // A few requests find out which era a server speaks; none of them goes round in circles.
    expect((upstream?.seen.length ?? 0) - before).toBeLessThan(6);
    expect(knocks).toBe(0);
  });
});

test('the canary is alive: with leave it is reached', async () => {
  const body = { id: 'leave', url: `http://127.0.0.1:${port}/mcp`, allowPrivateNetwork: true, retries: 0 };
  expect((await admin(hub, 'POST', '/connectors', body)).status).toBe(201);
  await admin(hub, 'POST', '/connectors/leave/sync');
  expect(knocks).toBeGreaterThan(0);
});
