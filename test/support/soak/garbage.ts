import { collectGarbageAt, INSPECTOR_URL } from '../../../bench/hub/collect-garbage.js';

/** What a Node program must be started with so that its garbage can be collected from outside. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/** `log`: what the program wrote to its standard error. */
export async function collectGarbage(log: readonly string[]): Promise<void> {
  const url = log.map((line) => INSPECTOR_URL.exec(line)?.[1]).find(Boolean);
  if (url === undefined) throw new Error('the program was not started with an inspector');
  await collectGarbageAt(url);
}
