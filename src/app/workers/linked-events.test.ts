import { afterEach, expect, test, vi } from 'vitest';
import { socketPair } from '../../../test/support/socket-pair.js';
import { openWorkerLink, WorkerHost } from '../../coordination/index.js';
import type { NewEvent } from '../../governance/index.js';
import { linkedEvents } from './linked-events.js';

const PLACE = { sequence: 1, previousHash: 'a', hashes: ['b'] };
const EVENTS: readonly NewEvent[] = [
  { at: 1, actor: { kind: 'hub' }, event: { type: 'hub.started', version: '1' } },
];

afterEach(() => void vi.useRealTimers());

/** A process that was given events and has not written them yet. */
async function openStill() {
  const asked: unknown[] = [];
  let goOn = (): void => {};
  const host = new WorkerHost({
    services: {
      'events.next': (events: readonly NewEvent[]) => {
        asked.push(events);
        return new Promise((resolve) => (goOn = () => resolve(PLACE)));
      },
    },
  });
  const [ours, theirs] = await socketPair();
  host.attach(ours);
  const link = await openWorkerLink(theirs);
  const writing = linkedEvents(link).next(EVENTS);
  await vi.waitFor(() => expect(asked).toEqual([EVENTS]));
  return { host, link, writing, goOn: () => goOn() };
}

test('events that a process writes only when it goes on after a while are not given up before', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const { host, link, writing, goOn } = await openStill();
  vi.advanceTimersByTime(60_000);
  goOn();
  expect(await writing).toEqual(PLACE);
  await link.coordination.close();
  host.close();
});

test('those of a process that is gone are given up at once', async () => {
  const { host, writing } = await openStill();
  host.close();
  await expect(writing).rejects.toMatchObject({ code: 'storage_unavailable' });
});
