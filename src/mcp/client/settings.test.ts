import { expect, test } from 'vitest';
import { failure, openModern } from '../../../test/support/client/open-client.js';
import { SILENCE } from '../../../test/support/client/scripted-transport.js';
import { DEFAULT_TIMEOUTS } from './index.js';
import { toSettings } from './settings.js';

const info = { name: 'tester', version: '1' };

test('a time-out that is given as undefined is as by default', () => {
  const timeouts = { requestMs: undefined, totalMs: undefined, inputMs: 5 };
  const { timeouts: decided } = toSettings({ info, timeouts });
  expect(decided).toEqual({ ...DEFAULT_TIMEOUTS, inputMs: 5 });
});

test('what is allowed for the whole is never exceeded, unless a call asks for more', async () => {
  const { client, clock } = await openModern({}, { 'tools/call': SILENCE }, { timeouts: { totalMs: 800 } });
  const short = failure(client.callTool('a'));
  await clock.advance(799);
  const long = failure(client.callTool('a', {}, { timeoutMs: 5000 }));
  await clock.advance(2);
  expect(await short).toMatchObject({ code: 'timeout', message: 'tools/call took too long as a whole' });
  await clock.advance(4990);
  expect(clock.waiting).toBeGreaterThan(0);
  await clock.advance(10);
  expect(await long).toMatchObject({ code: 'timeout' });
});

test('who allows more for one answer than for the whole by default allows it for the whole', () => {
  const { timeouts } = toSettings({ info, timeouts: { requestMs: 300_000 } });
  expect(timeouts.totalMs).toBe(300_000);
});

test.each([Number.NaN, 0, -1, 'soon'])('a time-out of %s is refused', (value) => {
  const timeouts = { requestMs: value as number };
  expect(() => toSettings({ info, timeouts })).toThrow(new RangeError('requestMs must be a positive number'));
});

test('so is one of a call that is no number, which nothing would end', async () => {
  const { client } = await openModern({}, { 'tools/call': SILENCE });
  for (const options of [{ timeoutMs: Number.NaN }, { totalMs: Number.NaN }])
    expect(await failure(client.callTool('a', {}, options))).toBeInstanceOf(RangeError);
});
