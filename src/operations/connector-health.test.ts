import { describe, expect, test, vi } from 'vitest';
import { connectorOf, snapshotOf } from '../../test/support/catalog-examples.js';
import { createLiveCatalog } from '../catalog/index.js';
import type { EventLog, HubEvent } from '../governance/index.js';
import { HubError } from '../kernel/index.js';
import type { Upstreams } from '../upstreams/index.js';
import { createHealthBook } from './connector-health.js';

const INPUT = { url: 'http://127.0.0.1:1/mcp', hideWhenUnhealthy: true };

/** A probe that ends when the test says so. */
function setUp() {
  const catalog = createLiveCatalog();
  const events: HubEvent[] = [];
  let fail: (error: HubError) => void = () => {};
  const probed = new Promise<void>((_resolve, reject) => (fail = reject));
  const book = createHealthBook({
    catalog,
    // Nothing else of both is used.
    upstreams: { probe: () => probed } as Partial<Upstreams> as Upstreams,
    events: { append: (_actor, event) => void events.push(event) } as Partial<EventLog> as EventLog,
    clock: { now: () => 7, monotonic: () => 7 },
    timeoutMs: () => 1,
  });
  const connector = connectorOf('a', INPUT);
  catalog.putConnector(connector);
  catalog.putSnapshot(snapshotOf('a', { tools: ['t'] }));
  return { catalog, events, book, connector, fail: () => fail(new HubError('upstream_timeout', 'slow')) };
}

test('a connector that does not answer is unhealthy, and hidden where that is wanted', async () => {
  const { catalog, events, book, connector, fail } = setUp();
  const checked = book.check(connector);
  fail();
  expect(await checked).toMatchObject({ state: 'unhealthy', reason: 'slow' });
  expect(events).toMatchObject([{ type: 'connector.health', connector: 'a', to: 'unhealthy' }]);
  expect(catalog.entries()).toEqual([]);
});

test.each([
  ['changed', ({ catalog }: ReturnType<typeof setUp>) => catalog.putConnector(connectorOf('a', INPUT)), 1],
  ['removed', ({ catalog, connector }: ReturnType<typeof setUp>) => catalog.remove(connector.id), 0],
])(
  'what is found out of a connector that was %s meanwhile counts for nobody',
  async (_how, change, shown) => {
    const situation = setUp();
    const { catalog, events, book, connector, fail } = situation;
    const checked = book.check(connector);
    change(situation);
    fail();
    await checked;
    book.note({ type: 'breaker_opened', connector, failures: 5, reason: 'late' });
    expect(events).toEqual([]);
    expect(book.healthOf(connector).state).toBe('unknown');
    expect(catalog.entries()).toHaveLength(shown);
  },
);

describe('beside other processes', () => {
  function startBook(input: object) {
    const catalog = createLiveCatalog();
    const events: HubEvent[] = [];
    const told: (string | undefined)[] = [];
    let failure: HubError | undefined;
    const book = createHealthBook({
      catalog,
      upstreams: {
        probe: () => (failure === undefined ? Promise.resolve() : Promise.reject(failure)),
      } as Partial<Upstreams> as Upstreams,
      events: { append: (_actor, event) => void events.push(event) } as Partial<EventLog> as EventLog,
      clock: { now: () => 7, monotonic: () => 7 },
      timeoutMs: () => 1,
      tellOthers: (_connector, why) => void told.push(why),
    });
    const connector = connectorOf('a', input);
    catalog.putConnector(connector);
    return { book, connector, events, told, set: (next: HubError | undefined) => (failure = next) };
  }
  const ended = new HubError('upstream_closed', 'its process ended with code 3');

  test('a sync that its process did not survive is told, and so is that the process stands', async () => {
    const { book, connector, told, set } = startBook({ command: 'node' });
    set(ended);
    book.listed(connector, ended);
    await vi.waitFor(() => expect(told).toEqual([ended.message]));
    set(undefined);
    await book.check(connector);
    expect(told).toEqual([ended.message, undefined]);
  });

  test('whether a server can be reached each looks for itself', async () => {
    const { book, connector, told, set } = startBook(INPUT);
    set(ended);
    book.listed(connector, ended);
    await vi.waitFor(() => expect(told).toEqual([undefined]));
    expect(book.healthOf(connector).state).toBe('unhealthy');
  });

  test('what another said counts here until one says otherwise, and is written down by that one only', async () => {
    const { book, connector, events } = startBook(INPUT);
    await book.check(connector);
    events.length = 0;
    book.heard(connector, 'HTTP 404');
    expect(await book.check(connector)).toMatchObject({ state: 'unhealthy', reason: 'HTTP 404' });
    book.note({ type: 'breaker_closed', connector, openMs: 1 });
    expect(book.healthOf(connector)).toMatchObject({ state: 'unhealthy', reason: 'HTTP 404' });
    book.heard(connector, undefined);
    expect(book.healthOf(connector)).toMatchObject({ state: 'healthy', reason: undefined });
    expect(events.filter(({ type }) => type === 'connector.health')).toEqual([]);
  });
});
