import { spawn, type ChildProcess } from 'node:child_process';
import { expect, test, vi } from 'vitest';
import { silentLogger } from '../kernel/index.js';
import type { HubPlace, ReadyHub } from './hub-herald.js';
import { WorkerSet } from './worker-set.js';

const HUB = {
  url: 'http://hub',
  localUrl: 'http://127.0.0.1:8080',
  consoleUrl: 'http://hub/#',
  hasSample: false,
};
const SERVING = `
  process.on('message', (order) => order === 'stop' && process.exit(0));
  process.send({ type: 'ready', hub: ${JSON.stringify(HUB)} });`;

/** A process that the system does not start. */
const NONE = '';

/** Real processes that run these programs, one after the other, then the last one again and again. */
function open(count: number, programs: readonly string[]) {
  const forked: ChildProcess[] = [];
  const onReady = vi.fn<(hub: ReadyHub) => void>();
  const onPlace = vi.fn<(place: HubPlace) => void>();
  let end: (code: number) => void = () => {};
  const ended = new Promise<number>((resolve) => (end = resolve));
  const set = new WorkerSet({
    count,
    fork: () => {
      const program = programs[Math.min(forked.length, programs.length - 1)] ?? '';
      const command = program === NONE ? '/nowhere/node' : process.execPath;
      const child = spawn(command, ['-e', program], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
      forked.push(child);
      return child;
    },
    logger: silentLogger,
    onPlace,
    onReady,
    onEnd: (code) => end(code),
  });
  set.start();
  return { set, forked, onReady, onPlace, ended };
}

test('workers that keep ending at their start end the whole with 1', async () => {
  const { ended, forked, onReady } = open(3, ['process.exit(1)']);
  expect(await ended).toBe(1);
  expect(forked).toHaveLength(5);
  expect(onReady).not.toHaveBeenCalled();
}, 20_000);

test('one that could not be started is replaced, and nobody waits for it at the end', async () => {
  const { set, ended, forked, onReady } = open(1, [NONE, SERVING]);
  await vi.waitFor(() => expect(onReady).toHaveBeenCalledOnce(), 10_000);
  expect(forked).toHaveLength(2);
  set.stop();
  expect(await ended).toBe(0);
});

test('a configuration that the first one refuses is refused by all', async () => {
  const { ended, forked } = open(3, ['process.exit(78)']);
  expect(await ended).toBe(78);
  expect(forked).toHaveLength(1);
});

test('one that ends is replaced; ready is said once; all are stopped', async () => {
  const { set, ended, forked, onReady } = open(2, ['process.exit(1)', SERVING]);
  await vi.waitFor(() => expect(onReady).toHaveBeenCalledWith(HUB), 10_000);
  expect(forked).toHaveLength(3);
  forked[1]?.kill('SIGKILL');
  await vi.waitFor(() => expect(forked).toHaveLength(4), 10_000);
  set.stop();
  set.stop();
  expect(await ended).toBe(0);
  expect(onReady).toHaveBeenCalledTimes(1);
  expect(forked.every(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null)).toBe(true);
}, 20_000);

test('what served once is not given up: workers are replaced, however many end at their start', async () => {
  const failing = Array.from({ length: 5 }, () => 'process.exit(1)');
  const telling = `${SERVING} process.send({ type: 'announce', place: {} });`;
  const { set, ended, forked, onReady, onPlace } = open(1, [SERVING, ...failing, telling]);
  await vi.waitFor(() => expect(onReady).toHaveBeenCalledOnce(), 10_000);
  forked[0]?.kill('SIGKILL');
  await vi.waitFor(() => expect(onPlace).toHaveBeenCalledOnce(), 20_000);
  expect(forked).toHaveLength(7);
  set.stop();
  expect(await ended).toBe(0);
}, 30_000);

test('those that served are replaced soon, however often they end', async () => {
  const telling = `${SERVING} process.send({ type: 'announce', place: {} });`;
  const { set, ended, forked, onPlace } = open(1, [telling]);
  const begun = performance.now();
  for (let kill = 1; kill <= 8; kill++) {
    await vi.waitFor(() => expect(onPlace).toHaveBeenCalledTimes(kill), 10_000);
    forked.at(-1)?.kill('SIGKILL');
  }
  await vi.waitFor(() => expect(forked).toHaveLength(9), 10_000);
  expect(performance.now() - begun).toBeLessThan(10_000);
  set.stop();
  await ended;
}, 30_000);

test('one that is told to read the configuration again while it starts does so when it is ready', async () => {
  const report = `(order) => order === 'reload' && process.send({ type: 'announce', place: {} })`;
  const late = `process.on('message', ${report}); setTimeout(() => { ${SERVING} }, 1_000);`;
  const { set, ended, onReady, onPlace } = open(1, [late]);
  set.reload();
  await vi.waitFor(() => expect(onPlace).toHaveBeenCalledOnce(), 10_000);
  expect(onReady).toHaveBeenCalledOnce();
  set.stop();
  expect(await ended).toBe(0);
});

test('whoever does not wait ends them at once', async () => {
  const { set, ended, onReady } = open(1, [SERVING.replace('process.exit(0)', 'false')]);
  await vi.waitFor(() => expect(onReady).toHaveBeenCalled(), 10_000);
  set.stop();
  set.stopAtOnce();
  expect(await ended).toBe(1);
}, 20_000);
