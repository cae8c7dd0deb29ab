import { afterEach, describe, expect, test } from 'vitest';
import { Gate, Session } from '../../../../test/support/server/harness.js';
import { useProcesses } from '../../../../test/support/server/two-processes.js';

const pair = useProcesses();

describe('a request whose process was killed', () => {
  const gates: Gate[] = [];
  afterEach(() => gates.splice(0).forEach((gate) => gate.open()));

  function killable() {
    const gate = new Gate();
    gates.push(gate);
    return pair({
      call: async (r) => {
        r.progress({ progress: 1 });
        if (r.params['name'] !== 'fast') await gate.passed;
        return { content: [] };
      },
    });
  }

  const unknown = (id: unknown) =>
    expect.objectContaining({
      id,
      error: expect.objectContaining({ code: -32603, data: { reason: 'outcome_unknown' } }) as object,
    }) as object;

  test.each([
    ['that was told nothing yet', 0],
    ['that was told something', 1],
  ])('is answered with an error where its client comes back: one %s', async (_name, position) => {
    const { one, two, place } = killable();
    const session = await one.session();
    const running = await session.call({}, { progressToken: 'p' }, 'mine');
    const events = [await running.next(), await running.next()];
    await running.cancel();
    place.lose('aaaa');
    const elsewhere = new Session(two, session.headers);
    // Whoever lost the connection once more is told the same, in the same place.
    for (let times = 0; times < 2; times++) {
      const reader = await elsewhere.get({ 'last-event-id': events[position]?.id ?? '' });
      const [progress, answer] =
        position === 0 ? [await reader.next(), await reader.next()] : [undefined, await reader.next()];
      expect(progress?.message.method).toBe(position === 0 ? 'notifications/progress' : undefined);
      expect(answer?.message).toEqual(unknown('mine'));
      expect(await reader.next()).toBeUndefined();
      const after = await elsewhere.get({ 'last-event-id': answer?.id ?? '' });
      expect([after.status, await after.rest()]).toEqual([200, []]);
    }
  });

  test('of a batch only those that were not answered are', async () => {
    const { one, two, place } = killable();
    const session = await one.session({ revision: '2025-03-26' });
    const call = (id: unknown, name: string) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, _meta: { progressToken: 'p' } },
    });
    const running = await one.stream([call(1, 'slow'), call('1', 'fast'), call(2, 'slow')], session.headers);
    const first = await running.next();
    for (let seen = first; seen?.message.id !== '1';) seen = await running.next();
    await running.cancel();
    place.lose('aaaa');
    const reader = await new Session(two, session.headers).get({ 'last-event-id': first?.id ?? '' });
    const answers = (await reader.rest()).filter(({ method }) => method === undefined);
    expect(answers).toEqual([
      expect.objectContaining({ id: '1', result: { content: [] } }),
      unknown(1),
      unknown(2),
    ]);
  });
});
