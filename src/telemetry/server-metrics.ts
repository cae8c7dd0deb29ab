import type { ServerEvent } from '../mcp/server/index.js';
import type { MetricRegistry } from './metric-registry.js';

/** Counts what happens on the side of the clients that no answer and no event tells. */
export function countServerEvents(registry: MetricRegistry): (event: ServerEvent) => void {
  let sessions = 0;
  const limits = registry.counter(
    'crosspoint.limits.reached',
    'How often a client met a limit of its session or of the server.',
    ['limit'],
  );
  const dropped = registry.counter(
    'crosspoint.notifications.dropped',
    'Progress, log messages and changes that could not be told.',
    ['reason'],
  );
  const incidents = registry.counter(
    'crosspoint.server.incidents',
    'Answers nobody took, streams nobody read, and failures inside.',
    ['type'],
  );
  registry.observe(
    'gauge',
    { name: 'crosspoint.sessions', help: 'Sessions of clients of the handshake era in this process.' },
    () => [{ labels: [], value: sessions }],
  );
  return (event) => {
    switch (event.type) {
      case 'session_opened':
        sessions++;
        break;
      case 'session_ended':
        sessions--;
        break;
      case 'limit_reached':
        limits.add([event.limit]);
        break;
      case 'notification_dropped':
        dropped.add([event.reason]);
        break;
      default:
        incidents.add([event.type]);
    }
  };
}
