import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { measureHeap } from '../../test/support/measure-heap.js';
import type { Agent } from '../agents/index.js';
import type { LiveCatalog, Surface } from '../catalog/index.js';
import type { PolicyEngine } from '../governance/index.js';
import { toAgentId } from '../kernel/index.js';
import { createSurfaces } from './surfaces.js';

const ALL = { kind: 'all' } as const;

function agentCalled(name: string): Agent {
  return {
    id: toAgentId(name),
    name,
    enabled: true,
    tags: [],
    source: 'stored',
    version: 1,
    createdAt: 0,
    updatedAt: 0,
  };
}

function example() {
  const catalog = { version: 1, entries: () => [] };
  const policy = { version: 1 };
  const surfaces = createSurfaces({
    catalog: catalog as unknown as LiveCatalog,
    policy: policy as unknown as PolicyEngine,
  });
  return { catalog, policy, surfaces };
}

test('what an agent sees is the same object until something changes', () => {
  const { catalog, policy, surfaces } = example();
  const [one, other] = [agentCalled('one'), agentCalled('other')];
  const seen = surfaces.surfaceFor(one, ALL);
  surfaces.surfaceFor(other, ALL);
  expect(surfaces.surfaceFor(one, ALL)).toBe(seen);
  for (const part of [catalog, policy]) {
    const before = surfaces.surfaceFor(one, ALL);
    part.version++;
    expect(surfaces.surfaceFor(one, ALL)).not.toBe(before);
  }
});

test.each(['catalog', 'policy'] as const)(
  'what agents saw before the %s changed is let go, whether they come again or not',
  async (changed) => {
    const { surfaces, ...parts } = example();
    const before = ['one', 'two', 'three'].map(
      (name): WeakRef<Surface> => new WeakRef(surfaces.surfaceFor(agentCalled(name), ALL)),
    );
    parts[changed].version++;
    surfaces.surfaceFor(agentCalled('other'), ALL);
    // A weak reference holds on to its target until the turn ends.
    await turn();
    measureHeap();
    expect(before.map((seen) => seen.deref())).toEqual([undefined, undefined, undefined]);
  },
);
