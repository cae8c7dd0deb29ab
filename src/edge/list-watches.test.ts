import { expect, onTestFinished, test, vi } from 'vitest';
import { connectorOf, snapshotOf } from '../../test/support/catalog-examples.js';
import type { Agent } from '../agents/index.js';
import { buildSurface, createLiveCatalog, type Surface, type SurfaceScope } from '../catalog/index.js';
import { ListWatches, type ListSource } from './list-watches.js';

const SCOPE: SurfaceScope = { kind: 'all' };

/** Lists that are replaced by hand, and how many wait to be told of it. */
function watched() {
  const listeners = new Set<() => void>();
  const onChange = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const surfaceOf = (tools: readonly object[]) =>
    ({
      tools,
      prompts: [],
      resources: [],
      templates: [],
      prepareTools: async () => {},
    }) as unknown as Surface;
  let surface = surfaceOf([]);
  const surfaceFor = vi.fn<() => Surface>(() => surface);
  const source = {
    surfaces: { surfaceFor } as unknown as ListSource['surfaces'],
    catalog: { onChange },
    principals: { agentOf: () => ({}) as Agent, watch: () => () => {} },
    onPolicyChange: () => () => {},
  };
  return {
    watches: new ListWatches(source, SCOPE),
    listeners,
    surfaceFor,
    change(tools: readonly object[]) {
      surface = surfaceOf(tools);
      for (const listener of listeners) listener();
    },
  };
}

test('clients of one principal are told of what changed for it, each of what it asked for, until they leave', async () => {
  const { watches, listeners, surfaceFor, change } = watched();
  const heard: string[] = [];
  const listen = (who: string, principal: string, filter = { toolsListChanged: true }) =>
    watches.listen({ principal, filter, emit: ({ method }) => heard.push(`${who} ${method}`) });
  const first = listen('first', 'ci');
  const others = [
    listen('second', 'ci'),
    listen('other', 'nightly'),
    watches.listen({
      principal: 'ci',
      filter: { promptsListChanged: true },
      emit: () => heard.push('prompts'),
    }),
  ];
  expect(first.honoured).toEqual({ toolsListChanged: true });
  // What is there has been looked at.
  await new Promise((resolve) => setImmediate(resolve));
  change([{ name: 'new' }]);
  await vi.waitFor(() => expect(heard).toHaveLength(3));
  expect(heard.sort()).toEqual([
    'first notifications/tools/list_changed',
    'other notifications/tools/list_changed',
    'second notifications/tools/list_changed',
  ]);
  first.close();
  change([]);
  await vi.waitFor(() => expect(heard).toHaveLength(5));
  expect(heard.slice(3).sort()).toEqual([
    'other notifications/tools/list_changed',
    'second notifications/tools/list_changed',
  ]);
  for (const other of others) {
    other.close();
    other.close();
  }
  expect(listeners.size).toBe(0);
  surfaceFor.mockClear();
  for (let i = 0; i < 50; i++) listen(`client ${i}`, 'ci');
  expect([listeners.size, surfaceFor.mock.calls.length]).toEqual([1, 1]);
});

test('who asks for no list costs nothing', () => {
  const { watches, listeners } = watched();
  const filter = { toolsListChanged: false, resourceSubscriptions: ['a:b'] };
  expect(watches.listen({ principal: 'ci', filter, emit() {} }).honoured).toEqual({});
  expect(listeners.size).toBe(0);
});

/** Somebody who sees the tools of one connector, and may not see those of another. */
function start() {
  const catalog = createLiveCatalog();
  catalog.putConnector(connectorOf('own'));
  catalog.putConnector(connectorOf('foreign'));
  catalog.putSnapshot(snapshotOf('own', { tools: ['first'] }));
  let known: { readonly version: number; readonly surface: Surface } | undefined;
  let isDisturbed = false;
  const surfaceFor = (): Surface => {
    const { version } = catalog;
    if (known?.version !== version) {
      const surface = buildSurface(catalog.entries(), SCOPE, {
        tool: ({ connector }) => connector.id === 'own',
        prompt: () => true,
        resource: () => true,
      });
      known = { version, surface };
    }
    // While somebody looks at it, there is something else.
    if (isDisturbed) queueMicrotask(() => catalog.putSnapshot(snapshotOf('foreign', { tools: ['late'] })));
    isDisturbed = false;
    return known.surface;
  };
  const heard: string[] = [];
  const source = {
    surfaces: { surfaceFor },
    catalog,
    principals: { agentOf: () => ({ id: 'ci' }) as Agent, watch: () => () => {} },
    onPolicyChange: () => () => {},
  };
  new ListWatches(source, SCOPE).listen({
    principal: 'ci',
    filter: { toolsListChanged: true, promptsListChanged: true },
    emit: ({ method }) => heard.push(method),
  });
  return { catalog, heard, disturb: () => (isDisturbed = true) };
}

test('who sees the same as before hears nothing, also when something changes while it is looked at', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { catalog, heard, disturb } = start();
  await vi.advanceTimersByTimeAsync(100);
  disturb();
  catalog.putSnapshot(snapshotOf('foreign', { tools: ['early'] }));
  await vi.advanceTimersByTimeAsync(500);
  expect(heard).toEqual([]);
  disturb();
  catalog.putSnapshot(snapshotOf('own', { tools: ['first', 'second'] }));
  await vi.advanceTimersByTimeAsync(500);
  expect(heard).toEqual(['notifications/tools/list_changed']);
});
