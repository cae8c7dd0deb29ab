import { expect, test, vi } from 'vitest';
import { openCoordination } from './index.js';

const loads = vi.hoisted(() => ({ count: 0 }));
vi.mock('ioredis', () => {
  loads.count++;
  return { Redis: undefined };
});

test('a hub that shares nothing does not load the library', async () => {
  const coordination = await openCoordination({ url: 'memory:' });
  expect(coordination).toMatchObject({ kind: 'memory', available: true });
  await coordination.close();
  expect(coordination.available).toBe(false);
  expect(loads.count).toBe(0);
});

test.each(['', 'memory', 'redis:', 'redis://[', 'http://x', 'postgres://x'])(
  '%j is no address',
  async (url) => {
    await expect(openCoordination({ url })).rejects.toMatchObject({ code: 'config_invalid' });
    expect(loads.count).toBe(0);
  },
);
