import { describe, expect, test } from 'vitest';
import { connectorOf, snapshotOf } from '../../test/support/catalog-examples.js';
import { createLiveCatalog } from './live-catalog.js';

function filled() {
  const catalog = createLiveCatalog();
  const [a, b] = [connectorOf('a'), connectorOf('b')];
  for (const connector of [b, a]) catalog.putConnector(connector);
  catalog.putSnapshot(snapshotOf('a', { tools: ['x'] }));
  catalog.putSnapshot(snapshotOf('b', { tools: ['y'] }));
  return { catalog, a, b, ids: () => catalog.entries().map(({ connector }) => connector.id) };
}

describe('live catalogue', () => {
  test('shows connectors with a snapshot, in order of id', () => {
    const { catalog, ids } = filled();
    catalog.putConnector(connectorOf('c'));
    expect(ids()).toEqual(['a', 'b']);
    expect(catalog.has('c')).toBe(true);
    expect(catalog.has('__proto__')).toBe(false);
  });

  test('is the same list until something changes', () => {
    const { catalog } = filled();
    const entries = catalog.entries();
    expect(catalog.entries()).toBe(entries);
    catalog.putSnapshot(snapshotOf('a', { tools: ['z'] }));
    expect(catalog.entries()).not.toBe(entries);
  });

  test.each<readonly [string, (part: ReturnType<typeof filled>) => void, boolean]>([
    ['the same connector again', ({ catalog, a }) => catalog.putConnector(a), false],
    [
      'the same offers again',
      ({ catalog }) => catalog.putSnapshot(snapshotOf('a', { tools: ['x'] }, { takenAt: 99 })),
      false,
    ],
    [
      'the same offers, seen with other eyes',
      ({ catalog }) => catalog.putSnapshot(snapshotOf('a', { tools: ['x'] }, { listedAs: 'shared' })),
      true,
    ],
    [
      'the same offers of a server that can do more now',
      ({ catalog }) => {
        const { upstream, ...rest } = snapshotOf('a', { tools: ['x'] });
        const capabilities = { ...upstream.capabilities, completions: {} };
        catalog.putSnapshot({ ...rest, upstream: { ...upstream, capabilities } });
      },
      true,
    ],
    ['other offers', ({ catalog }) => catalog.putSnapshot(snapshotOf('a', {})), true],
    ['a changed connector', ({ catalog }) => catalog.putConnector(connectorOf('a')), true],
    ['a hidden one', ({ catalog, a }) => catalog.setHidden(a.id, true), true],
    ['one that is shown already', ({ catalog, a }) => catalog.setHidden(a.id, false), false],
    ['a removed one', ({ catalog, a }) => catalog.remove(a.id), true],
    ['one that was never there', ({ catalog }) => catalog.remove(connectorOf('never').id), false],
  ])('%s tells its listeners: %3$s', (_what, act, told) => {
    const part = filled();
    const { version } = part.catalog;
    let heard = 0;
    part.catalog.onChange(() => heard++);
    act(part);
    expect([heard > 0, part.catalog.version > version]).toEqual([told, told]);
  });

  test('connectors that are off or hidden are left out', () => {
    const { catalog, a, ids } = filled();
    catalog.setHidden(a.id, true);
    expect(ids()).toEqual(['b']);
    catalog.setHidden(a.id, false);
    catalog.putConnector(connectorOf('b', { url: 'http://127.0.0.1:1/mcp', enabled: false }));
    expect(ids()).toEqual(['a']);
    expect(catalog.snapshotOf(connectorOf('b').id)?.tools).toHaveLength(1);
  });

  test('one that was removed comes back empty and visible', () => {
    const { catalog, a, ids } = filled();
    catalog.setHidden(a.id, true);
    catalog.remove(a.id);
    expect(catalog.snapshotOf(a.id)).toBeUndefined();
    catalog.putConnector(a);
    expect(ids()).toEqual(['b']);
    catalog.putSnapshot(snapshotOf('a', { tools: ['x'] }));
    expect(ids()).toEqual(['a', 'b']);
  });

  test('a listener that left hears nothing', () => {
    const { catalog, a } = filled();
    let heard = 0;
    catalog.onChange(() => heard++)();
    catalog.remove(a.id);
    expect(heard).toBe(0);
  });
});
