import { ADMIN_ROUTES } from '../../contract/index.js';
import type { CallShare, CallSummary } from '../../operations/index.js';
import type { AdminDependencies } from './dependencies.js';
import type { Register } from './register.js';
import { toTime } from './views/secret-state.js';

export function registerStatisticsRoutes(
  register: Register,
  { statistics, events }: AdminDependencies,
): void {
  register(ADMIN_ROUTES.statistics.get, async () => {
    // Whoever made a call finds it counted at once.
    await events.flush();
    const { since, total, minutes, connectors, agents } = await statistics.read();
    return {
      body: {
        since: toTime(since),
        total: toSummary(total),
        minutes: minutes.map(({ at, ...summary }) => ({ at: toTime(at), ...toSummary(summary) })),
        connectors: connectors.map(toShare),
        agents: agents.map(toShare),
      },
    };
  });
}

function toSummary({ calls, failed, denied, p50Ms, p99Ms }: CallSummary) {
  return {
    calls,
    failed,
    denied,
    ...(p50Ms !== undefined && { p50Ms }),
    ...(p99Ms !== undefined && { p99Ms }),
  };
}

function toShare({ perMinute, ...share }: CallShare) {
  return { ...share, perMinute: [...perMinute] };
}
