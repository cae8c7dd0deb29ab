import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLogger, type Coordination, type Logger } from '../kernel/index.js';
import { Replicas } from './replicas.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

type Listener = (message: string | undefined) => void;

/** Processes on one channel, which keeps the order of messages. */
function createChannel() {
  const ears: { readonly self: string; readonly topic: string; readonly listener: Listener }[] = [];
  const names = new Set<string>();
  const warnings: unknown[] = [];
  const logger: Logger = { ...silentLogger, warn: (fields) => void warnings.push(fields) };
  const deliver = (to: string | undefined, topic: string, message: string): void => {
    for (const ear of ears)
      if (ear.topic === topic && (to === undefined || to === ear.self))
        queueMicrotask(() => ear.listener(message));
  };
  function open(self: string): Replicas {
    names.add(self);
    const feed: Coordination['feed'] = {
      publish: (topic, message) => deliver(undefined, topic, message),
      async reach(topic, message) {
        deliver(undefined, topic, message);
        return names.size;
      },
      async send(to, topic, message) {
        deliver(to, topic, message);
        return names.has(to);
      },
      subscribe(topic, listener) {
        ears.push({ self, topic, listener });
        return () => {};
      },
    };
    return new Replicas({ self, feed }, logger);
  }
  return { open, warnings };
}

test('a change has settled when all others have put it in force', async () => {
  const { open, warnings } = createChannel();
  const [one, two, three] = [open('a'), open('b'), open('c')];
  const heard: string[] = [];
  let putInForce: (() => void) | undefined;
  two.hear('policies', (detail) => heard.push(`two ${detail}`));
  one.hear('policies', (detail) => heard.push(`one ${detail}`));
  two.followed(() => new Promise((resolve) => (putInForce = resolve)));
  one.announce('policies', 'p');
  let settled = 0;
  const both = [one.settled(), one.settled()].map((each) => each.then(() => settled++));
  await vi.waitFor(() => expect(putInForce).toBeDefined());
  expect(heard).toEqual(['two p']);
  putInForce?.();
  await vi.advanceTimersByTimeAsync(1_000);
  // One that starts answers when it knows what there is to be put in force.
  expect(settled).toBe(0);
  three.followed(async () => {});
  await Promise.all(both);
  expect(settled).toBe(2);
  expect(warnings).toEqual([]);
});

test('one that stands still is waited for for two seconds, and named in the log', async () => {
  const { open, warnings } = createChannel();
  const [one, two] = [open('a'), open('b')];
  open('c').followed(() => new Promise(() => {}));
  two.followed(async () => {});
  one.announce('agents');
  let settled = false;
  const waiting = one.settled().then(() => (settled = true));
  await vi.advanceTimersByTimeAsync(1_999);
  expect(settled).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await waiting;
  expect(warnings).toEqual([{ replicas: 1 }]);
});

test('where nothing was told, or nobody else is there, nobody is waited for', async () => {
  const { open, warnings } = createChannel();
  const one = open('a');
  one.announce('agents');
  await one.settled();
  open('b').followed(() => new Promise(() => {}));
  await one.settled();
  expect(warnings).toEqual([]);
});
