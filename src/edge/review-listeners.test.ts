import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Agent } from '../agents/index.js';
import type { MayListen } from '../mcp/server/index.js';
import { Principals } from './principals.js';
import { reviewListeners } from './review-listeners.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('whose key has ended by itself listens no longer than a minute more', async () => {
  const agent = { id: 'ci', name: 'ci', tags: [], enabled: true } as unknown as Agent;
  const principals = new Principals();
  const principal = principals.remember(agent) as string;
  let known: Agent | undefined = agent;
  const verdicts: boolean[] = [];
  const server = {
    reviewListeners: async (mayListen: MayListen) => void verdicts.push(await mayListen(principal, {})),
  };
  const stop = reviewListeners({
    callers: { identify: () => known },
    principals,
    endpoints: new Map([['/mcp', { server }]]),
    onAgentsChange: () => () => {},
  });
  await vi.advanceTimersByTimeAsync(60_000);
  known = undefined;
  await vi.advanceTimersByTimeAsync(60_000);
  stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(verdicts).toEqual([true, false]);
});
