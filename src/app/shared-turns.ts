import type { Coordination } from '../kernel/index.js';
import type { Turns } from '../operations/index.js';
import { ifReachable } from './if-reachable.js';

/** Whoever holds it that long asks an upstream something, such as to revoke a token. */
const LOCK = { leaseMs: 10_000, waitMs: 5_000 };

/**
 * Turns among all processes of a hub. Where these cannot reach what they share, or one takes long, a change goes on
 * without: stores refuse to replace what is no longer as it was read.
 */
export function createSharedTurns(
  own: Turns,
  coordination: Pick<Coordination, 'locks' | 'available'>,
): Turns {
  const acquire = async (name: string) =>
    coordination.available ? ifReachable(() => coordination.locks.acquire(name, LOCK)) : undefined;
  return (key, work) =>
    own(key, async () => {
      const lock = await acquire(`change:${key}`);
      try {
        return await work();
      } finally {
        await lock?.release();
      }
    });
}
