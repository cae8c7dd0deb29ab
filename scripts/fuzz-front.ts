import { parseArgs } from 'node:util';
import { Random } from '../test/fuzz/random.js';
import { damagedCase, FrontPair, oddCases, type FrontCase } from '../test/support/server/front-agreement.js';

/** Sends the same damaged requests to the fast front and to `node:http`, and stops at the first that they answer differently. */
const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string' } },
});
const AT_ONCE = 32;
const seed = Number(values.seed ?? Date.now() % 2 ** 32);
const end = Date.now() + Number(values.seconds) * 1000;
const random = new Random(seed);
const pair = await FrontPair.open();
let done = 0;

async function compare(one: FrontCase): Promise<void> {
  const { fast, plain } = await pair.meet(one);
  done++;
  if (fast === plain) return;
  console.error(JSON.stringify({ seed, sent: one.pieces.map(String), isSecond: one.isSecond, fast, plain }));
  process.exitCode = 1;
}

try {
  for (const one of oddCases()) await compare(one);
  while (Date.now() < end && process.exitCode === undefined)
    await Promise.all(Array.from({ length: AT_ONCE }, () => compare(damagedCase(random))));
} finally {
  await pair.close();
}
console.log(`${done} requests, seed ${seed}`);
