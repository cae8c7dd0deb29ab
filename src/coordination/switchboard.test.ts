import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Coordination, Switchboard } from '../kernel/index.js';
import { LocalFeed } from './local-feed.js';
import { createSwitchboard, type MessageSeal } from './switchboard.js';

const PLAIN: MessageSeal = {
  seal: (text, place) => `${place}|${text}`,
  open(sealed, place) {
    if (!sealed.startsWith(`${place}|`)) throw new Error('altered');
    return sealed.slice(place.length + 1);
  },
};

const open: { close(): void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

/** Processes on one feed, which can be cut off. */
function createProcesses(...names: readonly string[]) {
  const feeds = new Map<string, LocalFeed>();
  const deliver = (to: string | undefined, topic: string, message: string): void => {
    for (const [name, feed] of feeds)
      if (to === undefined || to === name) queueMicrotask(() => feed.deliver(topic, message));
  };
  const boards = names.map((self): Switchboard & { close(): void } => {
    const local = new LocalFeed();
    feeds.set(self, local);
    const feed: Omit<Coordination['feed'], 'reach'> = {
      publish: (topic, message) => deliver(undefined, topic, message),
      async send(to, topic, message) {
        deliver(to, topic, message);
        return feeds.has(to);
      },
      subscribe: (topic, listener) => local.subscribe(topic, listener),
    };
    const board = createSwitchboard({ self, feed }, PLAIN);
    open.push(board);
    return board;
  });
  return { boards, feeds, deliver };
}

test('one is told, or all others, never oneself', async () => {
  const { boards } = createProcesses('a', 'b', 'c');
  const heard: string[] = [];
  for (const board of boards)
    board.serve('l', { told: (from, text) => heard.push(`${from}>${board.self} ${text}`) });
  boards[0]!.tell(undefined, 'l', 'all');
  boards[0]!.tell('c', 'l', 'you');
  boards[0]!.tell('c', 'other', 'not here');
  await vi.waitFor(() => expect([...heard].sort()).toEqual(['a>b all', 'a>c all', 'a>c you']));
});

test('a question is answered, with what is said before', async () => {
  const { boards } = createProcesses('a', 'b');
  boards[1]!.serve('l', {
    async asked(from, text, { note }) {
      note('half');
      return `${from} asked ${text}`;
    },
  });
  const notes: string[] = [];
  const answer = await boards[0]!.ask('b', 'l', 'why', {
    timeoutMs: 5_000,
    onNote: (text) => notes.push(text),
  });
  expect([answer, ...notes]).toEqual(['a asked why', 'half']);
});

test('nobody there, nobody who answers, a failure and silence are all no answer', async () => {
  const { boards } = createProcesses('a', 'b');
  const [one, two] = boards;
  two!.serve('fails', { asked: () => Promise.reject(new Error('secret')) });
  two!.serve('deaf', {});
  two!.serve('slow', { asked: () => new Promise(() => {}) });
  const wait = { timeoutMs: 5_000 };
  expect(await one!.ask('z', 'l', '', wait)).toBeUndefined();
  expect(await one!.ask('b', 'fails', '', wait)).toBeUndefined();
  expect(await one!.ask('b', 'deaf', '', wait)).toBeUndefined();
  expect(await one!.ask('b', 'slow', '', { timeoutMs: 20 })).toBeUndefined();
});

test('whoever is asked learns that nobody wants the answer any more', async () => {
  const { boards } = createProcesses('a', 'b');
  let given: AbortSignal | undefined;
  boards[1]!.serve('l', {
    asked: (_, __, { signal }) => {
      given = signal;
      return new Promise(() => {});
    },
  });
  const leaving = new AbortController();
  const asking = boards[0]!.ask('b', 'l', '', { timeoutMs: 5_000, signal: leaving.signal });
  await vi.waitFor(() => expect(given).toBeDefined());
  leaving.abort();
  expect(await asking).toBeUndefined();
  await vi.waitFor(() => expect(given?.aborted).toBe(true));
});

test('a question ends when whoever was asked is gone', async () => {
  vi.useFakeTimers();
  try {
    const { boards, feeds } = createProcesses('a', 'b');
    boards[1]!.serve('l', { asked: () => new Promise(() => {}) });
    const asking = boards[0]!.ask('b', 'l', '', { timeoutMs: 600_000 });
    feeds.delete('b');
    await vi.advanceTimersByTimeAsync(6_000);
    expect(await asking).toBeUndefined();
  } finally {
    vi.useRealTimers();
  }
});

describe('one who is asked learns that nobody wants the answer', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  async function askedByOne() {
    const { boards, feeds } = createProcesses('a', 'b');
    let given: AbortSignal | undefined;
    boards[1]!.serve('l', {
      asked: (_, __, { signal }) => {
        given = signal;
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve('')));
      },
    });
    const leaving = new AbortController();
    void boards[0]!.ask('b', 'l', '', { timeoutMs: 86_400_000, signal: leaving.signal });
    await vi.advanceTimersByTimeAsync(100);
    return { feeds, leaving, isWanted: () => given?.aborted === false };
  }

  test('from one who was killed, within two minutes', async () => {
    const { feeds, isWanted } = await askedByOne();
    feeds.delete('a');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(isWanted()).toBe(true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(isWanted()).toBe(false);
  });

  test('from one who could not say so at the time', async () => {
    const { feeds, leaving, isWanted } = await askedByOne();
    const cut = feeds.get('b')!;
    feeds.delete('b');
    leaving.abort();
    await vi.advanceTimersByTimeAsync(100);
    feeds.set('b', cut);
    expect(isWanted()).toBe(true);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(isWanted()).toBe(false);
  });

  test('but not because the other was away for a moment each time', async () => {
    const { feeds, isWanted } = await askedByOne();
    const cut = feeds.get('a')!;
    for (let minute = 0; minute < 10; minute++) {
      feeds.delete('a');
      await vi.advanceTimersByTimeAsync(31_000);
      feeds.set('a', cut);
      await vi.advanceTimersByTimeAsync(30_000);
    }
    expect(isWanted()).toBe(true);
    expect(vi.getTimerCount()).toBeLessThan(5);
  });
});

describe('a feed that loses messages for a moment', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('whoever was asked and is away for a moment is waited for', async () => {
    const { boards, feeds } = createProcesses('a', 'b');
    let answer: ((text: string) => void) | undefined;
    boards[1]!.serve('l', { asked: () => new Promise((resolve) => (answer = resolve)) });
    const asking = boards[0]!.ask('b', 'l', '', { timeoutMs: 600_000 });
    await vi.advanceTimersByTimeAsync(1_900);
    const cut = feeds.get('b')!;
    feeds.delete('b');
    await vi.advanceTimersByTimeAsync(1_000);
    feeds.set('b', cut);
    await vi.advanceTimersByTimeAsync(10_000);
    answer?.('late');
    expect(await asking).toBe('late');
  });

  test('one who is not there is asked again where somebody is patient', async () => {
    const { boards, feeds } = createProcesses('a', 'b');
    boards[1]!.serve('l', { asked: async () => 'here' });
    const cut = feeds.get('b')!;
    feeds.delete('b');
    const [asking, inVain] = [true, false].map((patient) =>
      boards[0]!.ask('b', 'l', '', { timeoutMs: 600_000, patient }),
    );
    expect(await inVain).toBeUndefined();
    feeds.set('b', cut);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await asking).toBe('here');
    feeds.delete('b');
    const late = boards[0]!.ask('b', 'l', '', { timeoutMs: 600_000, patient: true });
    await vi.advanceTimersByTimeAsync(4_000);
    expect(await late).toBeUndefined();
  });

  test('an answer reaches one who was away when it was given', async () => {
    const { boards, feeds } = createProcesses('a', 'b');
    let answer: ((text: string) => void) | undefined;
    boards[1]!.serve('l', { asked: () => new Promise((resolve) => (answer = resolve)) });
    const asking = boards[0]!.ask('b', 'l', '', { timeoutMs: 600_000 });
    await vi.advanceTimersByTimeAsync(100);
    const cut = feeds.get('a')!;
    feeds.delete('a');
    answer?.('kept');
    await vi.advanceTimersByTimeAsync(5_000);
    feeds.set('a', cut);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await asking).toBe('kept');
  });

  test('a question or an answer that was lost is no answer, in seconds', async () => {
    const { boards, feeds } = createProcesses('a', 'b');
    let asked = 0;
    boards[1]!.serve('l', { asked: async () => `answer ${++asked}` });
    for (const deaf of ['b', 'a']) {
      // It is sent, and the connection breaks before it is read.
      const broken = feeds.get(deaf)!;
      feeds.set(deaf, new LocalFeed());
      const asking = boards[0]!.ask('b', 'l', '', { timeoutMs: 600_000 });
      await vi.advanceTimersByTimeAsync(100);
      feeds.set(deaf, broken);
      await vi.advanceTimersByTimeAsync(2_100);
      expect(await Promise.race([asking, Promise.resolve('waits')])).toBeUndefined();
    }
    expect(asked).toBe(1);
  });
});

test('what was not sealed for this line is passed over; a loss is told', async () => {
  const { boards, feeds, deliver } = createProcesses('a');
  const heard: string[] = [];
  boards[0]!.serve('l', { told: (_, text) => heard.push(text), missed: () => heard.push('missed') });
  deliver(undefined, 'line:l', 'rubbish');
  deliver(undefined, 'line:l', 'l|not JSON');
  deliver(undefined, 'line:l', `other|${JSON.stringify(['t', 'x', '', '', 'moved'])}`);
  feeds.get('a')!.deliver('line:l', undefined);
  deliver(undefined, 'line:l', `l|${JSON.stringify(['t', 'x', '', '', 'good'])}`);
  await vi.waitFor(() => expect(heard).toEqual(['missed', 'good']));
});
