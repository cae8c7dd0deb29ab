import { expect, test } from 'vitest';
import { until } from '../support/http/until.js';
import { Gate, Harness, initialize, JSON_BOTH, request } from '../support/server/harness.js';

/** The limits that hold when nobody sets any: one below, exactly, and one more. */

test('B1.9: 100 sessions of one principal', async () => {
  const harness = new Harness();
  const statuses: number[] = [];
  for (let i = 0; i < 101; i++) statuses.push((await harness.post(initialize())).status);
  expect(statuses).toEqual([...Array.from({ length: 100 }, () => 200), 429]);
  expect((await harness.post(initialize(), { authorization: 'Bearer bob' })).status).toBe(200);
});

test.each([
  [63, 0],
  [64, 0],
  [65, 1],
])('%i calls in flight, %i of them refused', async (count, refused) => {
  const gate = new Gate();
  const harness = new Harness({
    call: async () => {
      await gate.passed;
      return { content: [] };
    },
  });
  const session = await harness.session();
  const calls = Array.from({ length: count }, () => session.request('tools/call', { name: 'x' }));
  await session.notify('notifications/x');
  await until(() => harness.count('limit_reached') === refused, 'the last is refused');
  gate.open();
  const statuses = (await Promise.all(calls)).map((answer) => answer.status);
  expect(statuses.filter((status) => status === 429)).toHaveLength(refused);
});

test.each([
  [-1, 200],
  [0, 200],
  [1, 413],
])('S7: a body of 4 MiB %+i', async (more, status) => {
  const harness = new Harness();
  const body = JSON.stringify(initialize());
  const padding = ' '.repeat(4 * 1024 * 1024 + more - body.length);
  expect((await harness.send('POST', JSON_BOTH, padding + body)).status).toBe(status);
});

test('M-31: 100 parallel calls of many sessions get their own answers', async () => {
  const harness = new Harness({
    call: async ({ params }) => {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      return { content: [], got: params['arguments'] };
    },
  });
  const sessions = await Promise.all(Array.from({ length: 10 }, () => harness.session()));
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) =>
      sessions[n % 10]!.post(request(n, 'tools/call', { name: 'x', arguments: { n } })),
    ),
  );
  expect(answers.map((answer) => answer.body.result.got.n)).toEqual(answers.map((_, n) => n));
});
