import { expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/client/manual-clock.js';
import { AbandonedCalls } from './abandoned-calls.js';

const call = (tag: unknown) => ({
  method: 'tools/call',
  params: { name: 'one' },
  tag,
  caller: 'agent',
  answer: 'not kept',
});

test('a call is known for a minute, without what belongs to its caller', async () => {
  const clock = new ManualClock();
  const calls = new AbandonedCalls(clock);
  calls.add(call('ada'));
  await clock.advance(30_000);
  calls.add(call('bob'));
  expect(calls.recent()).toStrictEqual([
    { method: 'tools/call', params: undefined, tag: 'ada', caller: 'agent' },
    { method: 'tools/call', params: undefined, tag: 'bob', caller: 'agent' },
  ]);
  await clock.advance(30_000);
  expect(calls.recent().map(({ tag }) => tag)).toEqual(['bob']);
  await clock.advance(30_000);
  expect(calls.recent()).toEqual([]);
});

test('it is forgotten also when nobody asks any more', async () => {
  const clock = new ManualClock();
  const calls = new AbandonedCalls(clock);
  calls.add(call('ada'));
  expect(clock.waiting).toBe(1);
  await clock.advance(60_000);
  expect(clock.waiting).toBe(0);
  calls.add(call('late'));
  calls.clear();
  expect(clock.waiting).toBe(0);
  expect(calls.recent()).toEqual([]);
});

test('of a flood as many are kept as before, and of the rest that there were some', async () => {
  const clock = new ManualClock();
  const calls = new AbandonedCalls(clock);
  for (let index = 0; index < 1_000; index++) calls.add(call(index));
  const tags = calls.recent().map(({ tag }) => tag);
  expect(tags).toHaveLength(256);
  expect([tags[0], tags.at(-2), tags.at(-1)]).toEqual([0, 254, undefined]);
  // Nobody's own, so it counts as somebody else's for everybody.
  expect(calls.recent().at(-1)?.caller).toBe('');
});
