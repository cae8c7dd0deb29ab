import { setImmediate as turn } from 'node:timers/promises';

/** How long others wait for one slice. */
const SLICE_MS = 8;

/**
 * Does something with each of many, and lets everybody else have their turn in between: what others send may be much, and
 * whoever waits for something small must not wait for all of it.
 */
export async function inSlices<Item>(
  items: Iterable<Item>,
  work: (item: Item) => void,
  sliceMs = SLICE_MS,
): Promise<void> {
  let end = performance.now() + sliceMs;
  for (const item of items) {
    work(item);
    if (performance.now() < end) continue;
    await turn();
    end = performance.now() + sliceMs;
  }
}
