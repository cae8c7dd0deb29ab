import { expect, test } from 'vitest';
import {
  toAgentId,
  toCallId,
  toConnectorId,
  type Clock,
  type TaskRecord,
  type TaskStore,
} from '../../src/kernel/index.js';
import { HOSTILE_TEXTS } from './examples.js';

const START = 1_000_000;
const ADA = toAgentId('ada');
const BOB = toAgentId('bob');

class SetClock implements Clock {
  at = START;
  now(): number {
    return this.at;
  }
  monotonic(): number {
    return this.at;
  }
}

function record(id: string, changes: Partial<TaskRecord> = {}): TaskRecord {
  return {
    id,
    agent: ADA,
    connector: toConnectorId('crm'),
    owner: 'shared',
    upstreamId: `upstream-${id}`,
    tool: 'export',
    exposedName: 'crm__export',
    callId: toCallId(`call-${id}`),
    status: 'working',
    createdAt: START,
    updatedAt: START,
    expiresAt: START + 1_000,
    pollMs: 500,
    finished: false,
    ...changes,
  };
}

export function taskStoreContract(open: (clock: Clock) => Promise<TaskStore>): void {
  async function opened(): Promise<{ readonly store: TaskStore; readonly clock: SetClock }> {
    const clock = new SetClock();
    return { store: await open(clock), clock };
  }

  test('a task is found as it was added, until its end', async () => {
    const { store, clock } = await opened();
    const bare = record('b', { upstreamId: undefined, pollMs: undefined, finished: true });
    await store.add(record('a'));
    await store.add(bare);
    expect(await store.find('a')).toStrictEqual(record('a'));
    expect(await store.find('b')).toStrictEqual(bare);
    expect(await store.find('A')).toBeUndefined();
    clock.at += 1_000;
    expect(await store.find('a')).toBeUndefined();
    expect(await store.count()).toBe(2);
  });

  test('B5.1: any name of an upstream comes back', async () => {
    const { store } = await opened();
    for (const [index, text] of HOSTILE_TEXTS.entries()) {
      const one = record(`t${index}`, { upstreamId: text, tool: text, exposedName: text });
      await store.add(one);
      expect(await store.find(one.id)).toStrictEqual(one);
    }
  });

  test('B1.7: an agent lists its own, oldest first, page by page', async () => {
    const { store, clock } = await opened();
    await store.add(record('b'));
    await store.add(record('a'));
    await store.add(record('c', { createdAt: START + 1, expiresAt: START + 9 }));
    await store.add(record('x', { agent: BOB }));
    const first = await store.list(ADA, undefined, 2);
    expect(first.map(({ id }) => id)).toEqual(['a', 'b']);
    expect((await store.list(ADA, first[1], 2)).map(({ id }) => id)).toEqual(['c']);
    expect((await store.list(ADA, first[0], 1)).map(({ id }) => id)).toEqual(['b']);
    expect([await store.count(ADA), await store.count(BOB), await store.count()]).toEqual([3, 1, 4]);
    clock.at += 9;
    expect(await store.list(ADA, undefined, 9)).toHaveLength(2);
  });

  test('of twenty that learn of its end one writes it down, and then it stays as it is', async () => {
    const { store, clock } = await opened();
    await store.add(record('a'));
    clock.at += 5;
    await store.note('a', 'input_required');
    expect(await store.find('a')).toStrictEqual(
      record('a', { status: 'input_required', updatedAt: START + 5 }),
    );
    expect(await store.openCalls()).toEqual(['call-a']);
    const finished = await Promise.all(Array.from({ length: 20 }, () => store.finish('a', 'completed')));
    expect(finished.filter(Boolean)).toHaveLength(1);
    await store.note('a', 'working');
    expect(await store.find('a')).toMatchObject({ status: 'completed', finished: true });
    expect(await store.openCalls()).toEqual([]);
    expect(await store.finish('none', 'completed')).toBe(false);
  });

  test('room is made by the oldest that is finished', async () => {
    const { store } = await opened();
    await store.add(record('open', { createdAt: 1 }));
    await store.add(record('young', { createdAt: 3, finished: true }));
    await store.add(record('old', { createdAt: 2, finished: true }));
    await store.add(record('other', { createdAt: 1, finished: true, agent: BOB }));
    expect(await store.removeOldestFinished(ADA)).toBe('old');
    expect(await store.removeOldestFinished()).toBe('other');
    expect(await store.removeOldestFinished(ADA)).toBe('young');
    expect(await store.removeOldestFinished(ADA)).toBeUndefined();
    expect(await store.count()).toBe(1);
  });

  test('tasks go with their agent, with their connector, or after their end', async () => {
    const { store, clock } = await opened();
    await store.add(record('a'));
    await store.add(record('b', { agent: BOB }));
    await store.add(record('c', { connector: toConnectorId('other') }));
    await store.add(record('d', { agent: BOB, connector: toConnectorId('third'), expiresAt: START + 1 }));
    clock.at += 1;
    expect((await store.takeExpired()).map(({ id }) => id)).toEqual(['d']);
    expect(await store.takeExpired()).toEqual([]);
    expect(await store.takeAllOf(BOB)).toStrictEqual([record('b', { agent: BOB })]);
    expect((await store.takeAllFor(toConnectorId('crm'))).map(({ id }) => id)).toEqual(['a']);
    expect((await store.list(ADA, undefined, 9)).map(({ id }) => id)).toEqual(['c']);
  });
}
