import { afterEach, describe, expect, test } from 'vitest';
import { createMemoryCoordination } from '../coordination/index.js';
import { HubError, toAgentId } from '../kernel/index.js';
import { entryOf } from '../../test/support/catalog-examples.js';
import { FlowBook, keptSeen } from './flow-book.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const { connector } = entryOf('crm', { tools: ['read'] });
const tagged = (...tags: string[]) => ({ connector: { ...connector, tags }, tool: { name: 'read' } });
const ada = { agent: { id: toAgentId('ada') } };
const bob = { agent: { id: toAgentId('bob') } };

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

function setUp(looksBack = true) {
  let at = 0;
  const clock = { now: () => at, monotonic: () => at };
  const coordination = createMemoryCoordination(clock);
  opened.push(coordination);
  const { store } = coordination;
  const policy = { looksBack };
  const open = () => new FlowBook({ policy, store, clock });
  return { book: open(), open, store, policy, clock, pass: (ms: number) => (at += ms) };
}

describe('B1.12: what a conversation has used', () => {
  test('is the tags of connector and tool, once each and sorted', async () => {
    const { book } = setUp();
    const own = { ...connector, tags: ['z'], toolTags: { read: ['a'], other: ['b'] } };
    await book.note(ada, { connector: own, tool: { name: 'read' } });
    await book.note(ada, { connector: own });
    expect(await book.seenBy(ada)).toEqual(['a', 'z']);
  });

  test('is known to nobody else, and each session has its own', async () => {
    const { book } = setUp();
    await book.note({ ...ada, session: 's1' }, tagged('x'));
    expect(await book.seenBy({ ...ada, session: 's1' })).toEqual(['x']);
    for (const other of [ada, { ...ada, session: 's2' }, bob, { ...bob, session: 's1' }])
      expect(await book.seenBy(other)).toEqual([]);
  });

  test('none of it is lost where much is used at once, in several processes', async () => {
    const { book, open } = setUp();
    const books = [book, open(), open()];
    const names = Array.from({ length: 30 }, (_, index) => `t${index}`);
    await Promise.all(names.map(async (name, index) => await books[index % 3]!.note(ada, tagged(name))));
    expect(await book.seenBy(ada)).toEqual(names.toSorted());
  });

  test('without a session it is forgotten after half an hour without a call', async () => {
    const { book, pass } = setUp();
    await book.note(ada, tagged('x'));
    pass(29 * MINUTE_MS);
    expect(await book.seenBy(ada)).toEqual(['x']);
    pass(29 * MINUTE_MS);
    expect(await book.seenBy(ada)).toEqual(['x']);
    pass(30 * MINUTE_MS);
    expect(await book.seenBy(ada)).toEqual([]);
  });

  test('without a session it is forgotten after a day, however much is called', async () => {
    const { book, pass } = setUp();
    await book.note(ada, tagged('x'));
    for (let passed = 0; passed < DAY_MS; passed += 20 * MINUTE_MS) {
      expect(await book.seenBy(ada)).toEqual(['x']);
      pass(20 * MINUTE_MS);
    }
    expect(await book.seenBy(ada)).toEqual([]);
    await book.note(ada, tagged('y'));
    expect(await book.seenBy(ada)).toEqual(['y']);
  });

  test('in a session it is known until the session ends', async () => {
    const { book, pass } = setUp();
    const session = { ...ada, session: 's1' };
    await book.note(session, tagged('x'));
    pass(DAY_MS - 1);
    expect(await book.seenBy(session)).toEqual(['x']);
    book.sessionEnded(ada.agent.id, 's1');
    await expect.poll(() => book.seenBy(session)).toEqual([]);
  });

  test('a call that goes on is decided with what was used when it began', async () => {
    const { book } = setUp();
    await book.note(ada, tagged('x'));
    expect(await book.seenBy({ ...ada, rounds: { state: { seen: ['y'] } } })).toEqual(['y']);
    expect(await book.seenBy({ ...ada, rounds: { state: {} } })).toEqual(['x']);
  });
});

describe('B1.12: the store', () => {
  test('is not touched while no policy looks back, nor for what is known', async () => {
    const { policy, clock } = setUp(false);
    const never = () => {
      throw new Error('the store was asked');
    };
    const book = new FlowBook({
      policy,
      clock,
      store: { get: never, add: never, replace: never, delete: never },
    });
    expect(book.seenBy(ada)).toBeUndefined();
    expect(book.note(ada, tagged('x'))).toBeUndefined();
    book.sessionEnded(ada.agent.id, 's1');
    policy.looksBack = true;
    expect(book.note(ada, tagged('x'), ['x', 'y'])).toBeUndefined();
    expect(book.note(ada, tagged())).toBeUndefined();
  });

  test('that cannot be reached lets nobody through', async () => {
    const { store, policy, clock } = setUp();
    const get = () => Promise.reject(new HubError('storage_unavailable', 'away'));
    const book = new FlowBook({ policy, clock, store: { ...store, get } });
    const refusal = {
      code: 'storage_unavailable',
      message: expect.stringContaining('used before') as string,
    };
    await expect(book.seenBy(ada)).rejects.toMatchObject(refusal);
    await expect(book.note(ada, tagged('x'))).rejects.toMatchObject(refusal);
  });

  test('learns no names', async () => {
    const { store, policy, clock } = setUp();
    const keys: string[] = [];
    const add = (key: string, value: string, ttlMs: number) => {
      keys.push(key);
      return store.add(key, value, ttlMs);
    };
    const get = (key: string) => store.get(key);
    const book = new FlowBook({
      policy,
      clock,
      store: { get, add, replace: store.replace.bind(store), delete: store.delete.bind(store) },
    });
    await book.note({ ...ada, session: 'secret-session' }, tagged('x'));
    expect(keys).toEqual([expect.stringMatching(/^flow:[\w-]{43}$/)]);
  });

  test('is refused where others always write first, after a bounded number of tries', async () => {
    const { store, policy, clock } = setUp();
    let tries = 0;
    const add = () => {
      tries++;
      return Promise.resolve(false);
    };
    const book = new FlowBook({ policy, store: { ...store, get: store.get.bind(store), add }, clock });
    await expect(book.note(ada, tagged('x'))).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(tries).toBeLessThan(1_000);
  });

  test('is written once, and not at all where it is known', async () => {
    const { store, policy, clock } = setUp();
    let writes = 0;
    const counted: typeof store.add = (key, value, ttlMs) => {
      writes++;
      return store.add(key, value, ttlMs);
    };
    const counting = {
      get: store.get.bind(store),
      delete: store.delete.bind(store),
      replace: () => Promise.reject(new Error('not asked for')),
      add: counted,
    };
    const book = new FlowBook({ policy, store: counting, clock });
    await book.note(ada, tagged('x'));
    await book.note(ada, tagged('x'));
    expect(writes).toBe(1);
  });

  test('a failure of another kind stays what it is', async () => {
    const { store, policy, clock } = setUp();
    const broken = new TypeError('a defect');
    const book = new FlowBook({ policy, store: { ...store, get: () => Promise.reject(broken) }, clock });
    await expect(book.seenBy(ada)).rejects.toBe(broken);
  });

  test('what continues a call brings it along, unless no policy looks back', () => {
    expect(keptSeen(['x'])).toEqual({ seen: ['x'] });
    expect(keptSeen(undefined)).toEqual({});
  });
});
