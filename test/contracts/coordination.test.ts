import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openCoordination, openWorkerLink, WorkerHost } from '../../src/coordination/index.js';
import type { Coordination } from '../../src/kernel/index.js';
import { startRedis, type TestRedis } from '../support/redis.js';
import { socketPair } from '../support/socket-pair.js';
import { coordinationContract } from './coordination.contract.js';

const opened: Coordination[] = [];
afterEach(async () => {
  for (const coordination of opened.splice(0)) await coordination.close();
});

async function openAt(url: string): Promise<Coordination> {
  const coordination = await openCoordination({ url });
  opened.push(coordination);
  return coordination;
}

describe('in memory', () => {
  let shared: Coordination | undefined;
  afterEach(() => {
    shared = undefined;
  });
  coordinationContract(async () => (shared ??= await openAt('memory:')));
});

describe('of the workers of one machine', () => {
  let host: WorkerHost;
  beforeEach(() => {
    host = new WorkerHost();
  });
  afterEach(() => host.close());
  const open = async (): Promise<Coordination> => {
    const [ours, theirs] = await socketPair();
    host.attach(ours);
    const { coordination } = await openWorkerLink(theirs);
    opened.push(coordination);
    return coordination;
  };

  coordinationContract(open);

  test('a lock of a worker that died is free at once, and whoever waits for it gets it', async () => {
    const [ours, theirs] = await socketPair();
    host.attach(ours);
    const { coordination: dying } = await openWorkerLink(theirs);
    const lock = await dying.locks.acquire('a', { leaseMs: 60_000, waitMs: 0 });
    const waiting = (await open()).locks.acquire('a', { leaseMs: 60_000, waitMs: 5_000 });
    theirs.destroy();
    await (await waiting)?.release();
    expect(lock?.lost.aborted).toBe(true);
    await lock?.release();
    expect(dying.available).toBe(false);
    await expect(dying.store.get('a')).rejects.toMatchObject({ code: 'storage_unavailable' });
    await expect(dying.feed.send(dying.self, 't', 'x')).rejects.toMatchObject({
      code: 'storage_unavailable',
    });
    expect(host.workers).toHaveLength(1);
  });

  test('a long message arrives whole, between others', async () => {
    const [one, two] = [await open(), await open()];
    const long = 'ä\n'.repeat(500_000);
    await Promise.all([one.store.set('a', 'first', 1_000), one.store.set('b', long, 60_000)]);
    expect((await two.store.get('b'))?.length).toBe(long.length);
    expect(await two.store.get('a')).toBe('first');
  });

  test('one that says very much in one moment is not cut off for it', async () => {
    const one = await open();
    const long = 'x'.repeat(1_000_000);
    const keys = Array.from({ length: 80 }, (_, at) => `long-${at}`);
    await Promise.all(keys.map((key) => one.store.set(key, long, 60_000)));
    expect(await one.store.get('long-79')).toBe(long);
  });

  test('numbers of workers stay small: the lowest that is free is given next', async () => {
    const [one] = [await open(), await open()];
    expect(host.workers.map(({ number }) => number)).toEqual([1, 2]);
    await one?.close();
    await vi.waitFor(() => expect(host.workers).toHaveLength(1));
    await open();
    expect(new Set(host.workers.map(({ number }) => number))).toEqual(new Set([1, 2]));
  });
});

describe('on Redis', () => {
  let server: TestRedis;
  beforeAll(async () => {
    server = await startRedis();
  }, 200_000);
  afterEach(async () => {
    await server.command('flushall');
  });
  afterAll(() => server.stop());
  const open = () => openAt(server.url);

  coordinationContract(open);

  test('a lock of a process that died is free after its lease, and its late release takes nothing away', async () => {
    // A process that died does nothing any more; its key stays until it ends.
    await server.command('set', 'crosspoint:0:lock:a', 'somebody', 'PX', '300');
    const coordination = await open();
    expect(await coordination.locks.acquire('a', { leaseMs: 1_000, waitMs: 20 })).toBeUndefined();
    const lock = await coordination.locks.acquire('a', { leaseMs: 1_000, waitMs: 5_000 });
    expect(lock).toBeDefined();
    await server.command('set', 'crosspoint:0:lock:a', 'another');
    await lock?.release();
    expect(await server.command('get', 'crosspoint:0:lock:a')).toBe('another');
  });

  test('whoever finds that somebody else holds it, is told', async () => {
    const coordination = await open();
    const lock = await coordination.locks.acquire('a', { leaseMs: 300, waitMs: 0 });
    await server.command('set', 'crosspoint:0:lock:a', 'another');
    await vi.waitFor(() => expect(lock?.lost.aborted).toBe(true));
    await lock?.release();
    expect(await server.command('get', 'crosspoint:0:lock:a')).toBe('another');
  });

  test('through a restart: locks are lost, errors are clear, and then everything works again', async () => {
    const [one, two] = [await open(), await open()];
    const heard: (string | undefined)[] = [];
    two.feed.subscribe('t', (message) => heard.push(message));
    const lock = await one.locks.acquire('a', { leaseMs: 60_000, waitMs: 0 });
    await server.kill();
    await vi.waitFor(() => expect(one.check()).rejects.toMatchObject({ code: 'storage_unavailable' }));
    await expect(one.locks.acquire('b', { leaseMs: 1_000, waitMs: 0 })).rejects.toMatchObject({
      code: 'storage_unavailable',
    });
    await expect(one.locks.acquire('b', { leaseMs: 1_000, waitMs: 300 })).rejects.toMatchObject({
      code: 'storage_unavailable',
    });
    await expect(one.store.get('a')).rejects.toMatchObject({ code: 'storage_unavailable' });
    await expect(one.feed.send(two.self, 't', 'x')).rejects.toMatchObject({ code: 'storage_unavailable' });
    one.feed.publish('t', 'lost on its way');
    const patient = one.locks.acquire('b', { leaseMs: 1_000, waitMs: 20_000 });
    await server.start();
    await (await patient)?.release();
    // The server has forgotten the lock, so somebody else may hold it.
    await vi.waitFor(() => expect(lock?.lost.aborted).toBe(true), { timeout: 10_000 });
    await vi.waitFor(() => expect(heard).toContain(undefined), { timeout: 10_000 });
    await vi.waitFor(() => one.check(), { timeout: 10_000 });
    one.feed.publish('t', 'again');
    await vi.waitFor(() => expect(heard).toContain('again'), { timeout: 10_000 });
    expect(heard).not.toContain('lost on its way');
    await lock?.release();
    expect(await two.locks.acquire('a', { leaseMs: 1_000, waitMs: 0 })).toBeDefined();
  }, 60_000);

  test('a server that no longer answers fails commands in bounded time, and the lease ends the lock', async () => {
    const coordination = await open();
    const lock = await coordination.locks.acquire('a', { leaseMs: 1_500, waitMs: 0 });
    server.freeze();
    try {
      const begun = performance.now();
      await expect(coordination.check()).rejects.toMatchObject({ code: 'storage_unavailable' });
      expect(performance.now() - begun).toBeLessThan(10_000);
      await vi.waitFor(() => expect(lock?.lost.aborted).toBe(true), { timeout: 10_000 });
    } finally {
      server.thaw();
    }
    await vi.waitFor(() => coordination.check(), { timeout: 20_000 });
  }, 60_000);

  test.each([
    ['became the copy of another', 'replicaof', ['127.0.0.1', '1'], ['no', 'one']],
    ['has no room', 'config', ['set', 'maxmemory', '1'], ['set', 'maxmemory', '0']],
  ])(
    'a server that %s counts as away, until it takes something again',
    async (_, name, begin, end) => {
      const coordination = await open();
      expect(coordination.available).toBe(true);
      await server.command(name, ...begin);
      try {
        await expect(coordination.check()).rejects.toMatchObject({ code: 'storage_unavailable' });
        await vi.waitFor(() => expect(coordination.available).toBe(false), { timeout: 15_000 });
      } finally {
        await server.command(name, ...end);
      }
      await vi.waitFor(() => expect(coordination.available).toBe(true), { timeout: 15_000 });
      await coordination.store.set('a', 'again', 1_000);
    },
    60_000,
  );

  test('where the server became a copy, another one is looked for at the same address', async () => {
    const coordination = await open();
    const clients = async () => String(await server.command('client', 'list'));
    const before = /\bid=(\d+) .*\bname=crosspoint .*\bsub=0/.exec(await clients())?.[1];
    const heard: unknown[] = [];
    coordination.feed.subscribe('t', (message) => heard.push(message));
    await server.command('replicaof', '127.0.0.1', '1');
    try {
      await expect(coordination.store.set('a', 'x', 1_000)).rejects.toMatchObject({
        code: 'storage_unavailable',
      });
      await vi.waitFor(async () => expect(await clients()).not.toContain(`id=${before} `), {
        timeout: 15_000,
      });
      // Also where messages come in: what was said at the other one was missed.
      await vi.waitFor(() => expect(heard).toContain(undefined), { timeout: 15_000 });
    } finally {
      await server.command('replicaof', 'no', 'one');
    }
  }, 60_000);

  test('a publisher that was cut off tells the others to look, although they heard nothing of it', async () => {
    const [one, two] = [await open(), await open()];
    const heard: (string | undefined)[] = [];
    two.feed.subscribe('t', (message) => heard.push(message));
    server.freeze();
    one.feed.publish('t', 'too late');
    // The command times out while the server is frozen.
    await expect(one.check()).rejects.toMatchObject({ code: 'storage_unavailable' });
    server.thaw();
    await vi.waitFor(() => expect(heard).toContain(undefined), { timeout: 20_000 });
  }, 60_000);

  test('a wrong password is named without being shown; a wrong address is refused', async () => {
    const secret = 'canary-password';
    const wrong = openCoordination({ url: server.url.replace(server.password, secret) });
    await expect(wrong).rejects.toMatchObject({ code: 'config_invalid' });
    await expect(openCoordination({ url: server.address })).rejects.toMatchObject({ code: 'config_invalid' });
    const nobody = openCoordination({ url: `redis://:${secret}@127.0.0.1:1` });
    await expect(nobody).rejects.toMatchObject({ code: 'storage_unavailable' });
    for (const failing of [wrong, nobody])
      expect(String(await failing.catch((error: unknown) => error))).not.toContain(secret);
    for (const url of ['redis:', 'http://x', 'redis://[', ''])
      await expect(openCoordination({ url })).rejects.toMatchObject({ code: 'config_invalid' });
  });

  test('databases of one server do not hear or hold off each other', async () => {
    const [zero, one] = [await open(), await openAt(`${server.url}/1`)];
    const heard: unknown[] = [];
    zero.feed.subscribe('t', (message) => heard.push(message));
    const held = await zero.locks.acquire('a', { leaseMs: 1_000, waitMs: 0 });
    const other = await one.locks.acquire('a', { leaseMs: 1_000, waitMs: 0 });
    expect(other).toBeDefined();
    one.feed.publish('t', 'of one');
    zero.feed.publish('t', 'of zero');
    await vi.waitFor(() => expect(heard).toEqual(['of zero']));
    await held?.release();
    await other?.release();
  });
});
