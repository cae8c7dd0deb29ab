import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRawAgent } from '../test/support/raw-agent.js';

/**
 * Callers of the upstream in trouble, in a process of their own, who wait for their answers and then come again. Told on stdin which
 * tool to call, or nothing; says so when the last answer is there.
 * Arguments: address, key.
 */

const CALLERS = 4;
const PAUSE_MS = 20;

const [url = '', key = ''] = process.argv.slice(2);
const agent = await openRawAgent({ url, key, era: 'modern' });

async function press(name: string, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await agent.request('tools/call', { name, arguments: {} }).catch(() => undefined);
    await sleep(PAUSE_MS);
  }
}

let over = new AbortController();
let callers: Promise<unknown> = Promise.resolve();
createInterface({ input: process.stdin })
  .on('line', (name) => {
    if (name === '') {
      over.abort();
      void callers.then(() => console.log('quiet'));
      return;
    }
    over = new AbortController();
    callers = Promise.all(Array.from({ length: CALLERS }, () => press(name, over.signal)));
  })
  .on('close', () => process.exit());
console.log('ready');
