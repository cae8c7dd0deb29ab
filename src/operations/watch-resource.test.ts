import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { entryOf, EVERYTHING_PERMITTED } from '../../test/support/catalog-examples.js';
import type { Agent } from '../agents/index.js';
import { buildSurface } from '../catalog/index.js';
import { ANONYMOUS, type AccessProvider } from '../credentials/index.js';
import { HubError } from '../kernel/index.js';
import type { Upstreams } from '../upstreams/index.js';
import { createWatchResource } from './watch-resource.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a watch is tried again also where it could not be found out who serves the resource', async () => {
  const scope = { kind: 'all' } as const;
  const capabilities = { resources: { subscribe: true } };
  const offers = { resources: [{ uri: 'note://1', name: 'one' }], capabilities };
  const surface = buildSurface([entryOf('a', offers)], scope, EVERYTHING_PERMITTED);
  let isBroken = false;
  let watches = 0;
  const updated: string[] = [];
  const watchResource = createWatchResource({
    surfaces: {
      surfaceFor() {
        if (isBroken) throw new HubError('internal', 'the policies cannot be read');
        return surface;
      },
    },
    // Nothing else of both is used.
    credentials: { accessFor: () => ANONYMOUS } as Partial<AccessProvider> as AccessProvider,
    upstreams: {
      watch: async () => {
        if (watches++ === 0) throw new HubError('upstream_unavailable', 'away');
        return () => {};
      },
    } as Partial<Upstreams> as Upstreams,
  });
  const agentOf = () => ({ id: 'ada' }) as Agent;
  const onUpdated = (uri: string): void => void updated.push(uri);
  const watch = await watchResource({ agentOf, scope, conversation: {}, uri: 'note://1', onUpdated });
  isBroken = true;
  await vi.advanceTimersByTimeAsync(1_000);
  isBroken = false;
  await vi.advanceTimersByTimeAsync(2_000);
  expect([watches, updated]).toEqual([2, ['note://1']]);
  watch?.close();
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect([watches, updated]).toEqual([2, ['note://1']]);
});
