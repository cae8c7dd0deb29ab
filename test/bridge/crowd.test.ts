import { expect, test } from 'vitest';
import { createRandom, CROWD, runCrowd } from '../support/bridge/crowd.js';
import { sharedOf, startEverydayHub, WAYS } from '../support/bridge/everyday-hub.js';
import { measureHeap } from '../support/measure-heap.js';
import { closeAfterEach } from '../support/resources.js';

const keep = closeAfterEach();
const CLIENTS = 200;
/** What the engine keeps for itself moves by this much. */
const SLACK_BYTES = 16 * 1024 * 1024;

test('200 clients that are asked at the same time, and leave or cancel at random: no answer crosses, no call is made twice', async () => {
  const { hub } = keep(await startEverydayHub(CROWD, { limits: { concurrency: 256, queue: 1_000 } }));
  const connectors = WAYS.map(sharedOf);
  const random = createRandom(20_260_728);
  const run = (name: string, callsEach: number) =>
    runCrowd({ hub, connectors, clients: CLIENTS, agents: CROWD, callsEach, random, name });
  await run('first', 1);
  const before = measureHeap();
  const { answered, refused, abandoned, turnedAway, ...bad } = await run('second', 1);
  expect(bad).toMatchObject({ failures: [], crossed: [], miscounted: [] });
  expect(answered + refused + abandoned + turnedAway).toBe(CLIENTS);
  // How many are taken on depends on how busy the machine is.
  expect(answered).toBeGreaterThan(CLIENTS / 3);
  expect(abandoned).toBeGreaterThan(0);
  // Those whose clients went away wait for them, a bounded time.
  expect(hub.running.hub.held.size).toBeLessThanOrEqual(CLIENTS);
  await expect.poll(() => measureHeap() - before, { timeout: 10_000 }).toBeLessThan(SLACK_BYTES);
});
