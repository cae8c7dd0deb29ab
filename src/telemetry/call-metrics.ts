import type { EventRecord } from '../governance/index.js';
import { REST, type MetricRegistry } from './metric-registry.js';

/** Seconds; the bounds that OpenTelemetry names for MCP, and finer ones below, where a hub's own time lies. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
/** Methods of extensions can be many. */
const METHODS = new Set(['tools/call', 'prompts/get', 'resources/read', 'completion/complete']);

/** Counts what is written to the log. So a call costs the same whether somebody looks at numbers or not. */
export function countEvents(registry: MetricRegistry): (record: EventRecord) => void {
  const durations = registry.histogram(
    {
      name: 'mcp.server.operation.duration',
      help: 'Time from the intent of a call to its outcome.',
      unit: 's',
      labels: ['mcp.method.name', 'error.type'],
    },
    BOUNDS,
  );
  const calls = registry.counter('crosspoint.calls', 'Calls that came to an end, by connector and outcome.', [
    'connector',
    'outcome',
  ]);
  const time = registry.counter(
    'crosspoint.calls.time',
    'Time that calls of a connector took together.',
    ['connector'],
    's',
  );
  const refused = registry.counter(
    'crosspoint.calls.refused',
    'Calls that the hub refused, by the code of the error.',
    ['error'],
  );
  const syncs = registry.counter('crosspoint.syncs', 'Syncs with upstreams, by result.', ['result']);
  const strangers = registry.counter('crosspoint.auth.refused', 'Callers that were not let in, by surface.', [
    'surface',
  ]);
  const events = registry.counter('crosspoint.events', 'Events that were written to the log, by type.', [
    'type',
  ]);
  return ({ event }) => {
    events.add([event.type]);
    if (event.type === 'call.finished') {
      const seconds = event.durationMs / 1_000;
      durations.record([methodOf(event.method), event.outcome === 'ok' ? '' : event.outcome], seconds);
      calls.add([event.connector, event.outcome]);
      time.add([event.connector], seconds);
    } else if (event.type === 'call.refused') refused.add([event.error]);
    else if (event.type === 'connector.synced') syncs.add(['ok']);
    else if (event.type === 'connector.sync_failed') syncs.add(['failed']);
    else if (event.type === 'auth.refused') strangers.add([event.surface]);
  };
}

function methodOf(method: string): string {
  return METHODS.has(method) ? method : REST;
}
