import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Outbox } from './outbox.js';

test('answers leave one after another, in the order in which they were found', async () => {
  const sent: string[] = [];
  const next: (() => void)[] = [];
  const outbox = new Outbox({
    send(text) {
      sent.push(text);
      return new Promise((resolve) => next.push(resolve));
    },
    onLost: () => sent.push('lost'),
  });
  for (const text of ['a', 'b', 'c']) outbox.post(text);
  expect(sent).toEqual(['a']);
  next.shift()?.();
  await turn();
  expect(sent).toEqual(['a', 'b']);
});

test('a server that asks and does not read makes nobody wait, and nothing pile up', async () => {
  let tried = 0;
  let lost = 0;
  const outbox = new Outbox({
    async send() {
      tried++;
      await Promise.resolve();
      throw new Error('the peer does not read');
    },
    onLost: () => lost++,
  });
  const startedAt = performance.now();
  for (let n = 0; n < 30_000; n++) outbox.post('{}');
  await turn();
  expect({ tried, lost }).toEqual({ tried: 1_001, lost: 30_000 });
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});
