/**
 * Many clients of both eras that are asked at the same time through shared upstreams of both eras, over HTTP and as processes.
 * Some give up, some go away. Prints one line for each round; ends with 1 if an answer crossed, a call was made twice, or
 * memory did not come back.
 *
 * `--clients <n>` (200), `--rounds <n>` (20), `--calls <n>` of each client in a round (3), `--seed <n>` (1).
 */
import { parseArgs } from 'node:util';
import { createRandom, CROWD, runCrowd } from '../test/support/bridge/crowd.js';
import { sharedOf, startEverydayHub, WAYS } from '../test/support/bridge/everyday-hub.js';
import { measureHeap } from '../test/support/measure-heap.js';

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '20' },
    calls: { type: 'string', default: '3' },
    seed: { type: 'string', default: '1' },
  },
});
/** Beyond the first rounds, in which everything is opened and compiled. */
const SLACK_BYTES = 32 * 1024 * 1024;
const WARM_ROUNDS = 2;

const started = await startEverydayHub(CROWD, { limits: { concurrency: 256, queue: 1_000 } });
const { hub } = started;
const random = createRandom(Number(values.seed));
let settled = 0;
let bad = 0;
for (let round = 1; round <= Number(values.rounds); round++) {
  const began = performance.now();
  const outcome = await runCrowd({
    hub,
    connectors: WAYS.map(sharedOf),
    clients: Number(values.clients),
    agents: CROWD,
    callsEach: Number(values.calls),
    random,
    name: `round-${round}`,
  });
  const { answered, refused, abandoned, turnedAway, failures, crossed, miscounted } = outcome;
  const heap = measureHeap();
  if (round === WARM_ROUNDS) settled = heap;
  bad += failures.length + crossed.length + miscounted.length;
  console.log(
    `round ${round}: ${answered} answered, ${refused} refused, ${abandoned} abandoned, ${turnedAway} turned away, ${failures.length} failed, ` +
      `${crossed.length} crossed, ${miscounted.length} miscounted, ${hub.running.hub.held.size} held, ` +
      `${(heap / 1e6).toFixed(1)} MB, ${((performance.now() - began) / 1000).toFixed(1)} s`,
  );
  for (const line of [...failures, ...crossed, ...miscounted].slice(0, 5)) console.log(`  ${line}`);
}
const grown = settled === 0 ? 0 : measureHeap() - settled;
if (grown > SLACK_BYTES) console.log(`memory grew by ${(grown / 1e6).toFixed(1)} MB`);
await started.close();
process.exitCode = bad > 0 || grown > SLACK_BYTES ? 1 : 0;
