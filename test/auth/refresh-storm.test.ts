import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { findKeyPlace } from '../../src/app/master-key/key-place.js';
import { requireMasterKeys } from '../../src/app/master-key/open-master-keys.js';
import { toConnectorId } from '../../src/kernel/index.js';
import type { McpClient } from '../../src/mcp/client/index.js';
import { openStorage, type Storage } from '../../src/storage/index.js';
import { connectAgent } from '../support/agent-client.js';
import { startHubProcess, type HubProcess } from '../support/hub-process.js';
import { createSharedPlace, useSharedServers, type SharedPlace } from '../support/replica-set.js';
import {
  CLIENT_ID,
  expiredAccount,
  startGuardedUpstream,
  startRotatingAuthority,
  type HeldRequest,
  type HoldPoint,
  type RotatingAuthority,
  type TokenFamily,
} from '../support/rotating-authority.js';
import type { ScriptedUpstream } from '../support/scripted-upstream.js';
import { socketOwner } from '../support/socket-owner.js';

/**
 * Three hub processes on one Postgres and one Redis, an account whose token has expired and whose refresh token counts
 * once, and everybody calls at the same moment. Then the same with the process that renews killed at each step.
 */

const HUBS = 3;
const CALLS = 200;
const CONNECTORS = ['calm', 'unsent', 'unanswered', 'unsaved', 'saved', 'strict'] as const;
type Name = (typeof CONNECTORS)[number];

const servers = useSharedServers();
let place: SharedPlace;
let authority: RotatingAuthority;
let upstream: ScriptedUpstream;
let storage: Storage;
let config: object;
const hubs: HubProcess[] = [];

beforeAll(async () => {
  place = await createSharedPlace(servers());
  authority = await startRotatingAuthority();
  upstream = await startGuardedUpstream(authority);
  const connectors = Object.fromEntries(
    CONNECTORS.map((name) => [
      name,
      {
        url: `${upstream.url}/${name}`,
        auth: { type: 'oauth', issuer: authority.issuer, clientId: CLIENT_ID, clientAuth: 'none' },
        limits: { concurrency: CALLS, queue: CALLS },
      },
    ]),
  );
  config = { ...place.config, connectors, health: { intervalMs: 3_600_000 } };
  // The first makes the keys that all of them use.
  hubs.push(await startHubProcess(place.folder, config));
  const others = Array.from({ length: HUBS - 1 }, () => startHubProcess(place.folder, config));
  hubs.push(...(await Promise.all(others)));
  const masterKeys = requireMasterKeys(findKeyPlace(undefined, join(place.folder, 'data')));
  storage = await openStorage({ url: place.config.storage.url, masterKeys });
}, 240_000);

afterAll(async () => {
  for (const hub of hubs) await hub.close();
  await storage?.close();
  await upstream?.close();
  await authority?.close();
  await place?.close();
}, 60_000);

/** Somebody signed in some time ago. */
async function signIn(name: Name): Promise<TokenFamily> {
  const family = authority.createFamily();
  await storage.credentials.save(
    expiredAccount(authority, family, { connector: name, url: `${upstream.url}/${name}` }),
  );
  return family;
}

const credentialOf = (name: Name) => storage.credentials.find(toConnectorId(name), { kind: 'shared' });

interface Storm {
  /** How many calls each hub answered well, by its process, and what else came. */
  readonly good: Map<number, number>;
  readonly bad: Map<number, string[]>;
  readonly over: Promise<void>;
}

/** All at once, spread over the hubs. */
async function beginStorm(name: Name): Promise<Storm> {
  const good = new Map(hubs.map(({ pid }) => [pid, 0]));
  const bad = new Map<number, string[]>(hubs.map(({ pid }) => [pid, []]));
  const clients = await Promise.all(hubs.map((hub) => connectAgent(hub)));
  for (const client of clients) await untilListed(client, `${name}__echo`);
  const calls = Array.from({ length: CALLS }, async (_, index) => {
    const { pid } = hubs[index % HUBS]!;
    try {
      const { isError, content } = await clients[index % HUBS]!.callTool(`${name}__echo`, {});
      if (isError === true) bad.get(pid)?.push(JSON.stringify(content));
      else good.set(pid, (good.get(pid) ?? 0) + 1);
    } catch (error) {
      bad.get(pid)?.push(String(error));
    }
  });
  const over = Promise.all(calls).then(async () => {
    await Promise.allSettled(clients.map((client) => client.close()));
  });
  return { good, bad, over };
}

async function untilListed(client: McpClient, tool: string): Promise<void> {
  await vi.waitFor(
    async () => expect((await client.listTools()).items.map(({ name }) => name)).toContain(tool),
    { timeout: 20_000 },
  );
}

/** The process that renews, held at a step. */
async function catchWinner(held: Promise<HeldRequest>): Promise<{ hub: HubProcess; release: () => void }> {
  const { port, release } = await Promise.race([
    held,
    sleep(20_000).then(() => Promise.reject(new Error('nobody renews'))),
  ]);
  const pid = socketOwner(
    hubs.map((hub) => hub.pid),
    port,
  );
  const hub = hubs.find((each) => each.pid === pid);
  if (hub === undefined) throw new Error('the process that renews is not one of the hubs');
  return { hub, release };
}

/** The leases of the dead end, as they would by themselves some seconds later. */
async function endLeases(): Promise<void> {
  const { redis } = servers();
  const names = (await redis.command('KEYS', '*:lock:credential *')) as readonly string[];
  for (const name of names) await redis.command('PEXPIRE', name, '1');
}

function expectSurvivorsServed({ good, bad }: Storm, killed: HubProcess): void {
  for (const { pid } of hubs) {
    if (pid === killed.pid) continue;
    expect(bad.get(pid)).toEqual([]);
    expect(good.get(pid)).toBeGreaterThanOrEqual(Math.floor(CALLS / HUBS));
  }
}

test('F28, F29: 200 calls at three hubs on an expired token: one token request, no failure', async () => {
  const family = await signIn('calm');
  const storm = await beginStorm('calm');
  await storm.over;
  expect([...storm.bad.values()].flat()).toEqual([]);
  expect([...storm.good.values()].reduce((sum, count) => sum + count, 0)).toBe(CALLS);
  expect(family).toMatchObject({ tokenCalls: 1, isRevoked: false });
  expect(family.isCurrent((await credentialOf('calm'))?.values['refresh_token']?.reveal())).toBe(true);
}, 120_000);

interface Death {
  readonly name: Name;
  readonly step: string;
  readonly hold: HoldPoint;
  /** From where it is held to where it dies. */
  readonly kill: (hub: HubProcess, release: () => void) => Promise<void>;
  readonly tokenCalls: number;
}

const DEATHS: readonly Death[] = [
  {
    name: 'unsent',
    step: 'before its token request leaves',
    hold: 'metadata',
    tokenCalls: 1,
    async kill(hub, release) {
      await hub.kill();
      release();
    },
  },
  {
    name: 'unanswered',
    step: 'after the server has its request, which counts, and before the answer',
    hold: 'request',
    tokenCalls: 2,
    async kill(hub, release) {
      await hub.kill();
      release();
    },
  },
  {
    name: 'unsaved',
    step: 'after the answer and before it is saved',
    hold: 'answer',
    tokenCalls: 2,
    kill: (hub, release) => killBeforeSave(hub, release),
  },
  {
    name: 'saved',
    step: 'after it has saved',
    hold: 'answer',
    tokenCalls: 1,
    async kill(hub, release) {
      release();
      await vi.waitFor(async () => expect((await credentialOf('saved'))?.version).toBe(2), {
        timeout: 20_000,
        interval: 2,
      });
      await hub.kill();
    },
  },
];

/** Saving waits for a lock of the table, which the test holds until the process is dead. */
async function killBeforeSave(hub: HubProcess, release: () => void): Promise<void> {
  const { postgres } = servers();
  const schema = /search_path%3D(\w+)/.exec(place.config.storage.url)?.[1] ?? '';
  await postgres.query('begin');
  try {
    await postgres.query(`lock table ${schema}.credentials in exclusive mode`);
    release();
    await vi.waitFor(
      async () => {
        const waiting = await postgres.query(
          `select 1 from pg_locks where not granted and relation = '${schema}.credentials'::regclass`,
        );
        expect(waiting.length).toBeGreaterThan(0);
      },
      { timeout: 20_000, interval: 10 },
    );
    await hub.kill();
  } finally {
    await postgres.query('rollback');
  }
}

describe('the process that renews is killed', () => {
  let killed: HubProcess | undefined;
  // For the next storm.
  afterEach(async () => {
    if (killed !== undefined) hubs[hubs.indexOf(killed)] = await startHubProcess(place.folder, config);
    killed = undefined;
  }, 60_000);

  test.each(DEATHS.map((death) => [death.step, death] as const))(
    'F8, F30: %s',
    async (_, { name, hold, kill, tokenCalls }) => {
      const family = await signIn(name);
      const held = authority.hold(hold);
      const storm = await beginStorm(name);
      const winner = await catchWinner(held);
      killed = winner.hub;
      await kill(winner.hub, winner.release);
      // The first shows that a lease ends without help; the others need not wait for it too.
      if (name !== DEATHS[0]?.name) await endLeases();
      await storm.over;
      expectSurvivorsServed(storm, winner.hub);
      expect(family).toMatchObject({ tokenCalls, isRevoked: false });
      expect(family.isCurrent((await credentialOf(name))?.values['refresh_token']?.reveal())).toBe(true);
    },
    120_000,
  );

  test('F8: after the answer, at a server that allows no second use: one more request, then a person is asked for', async () => {
    // The new token died with the process. The old one may be all there is, so it is tried once; where the server takes
    // that for a theft, nothing is left that could be renewed, whether it is tried or not.
    authority.graceMs = 0;
    const family = await signIn('strict');
    const held = authority.hold('answer');
    const storm = await beginStorm('strict');
    const winner = await catchWinner(held);
    killed = winner.hub;
    await killBeforeSave(winner.hub, winner.release);
    await endLeases();
    await storm.over;
    expect(family).toMatchObject({ tokenCalls: 2, isRevoked: true });
    expect((await credentialOf('strict'))?.grant?.problem).toMatchObject({ state: 'needs_reauth' });
  }, 120_000);
});
