import type { Connector } from '../connectors/index.js';
import type { ConnectorId } from '../kernel/index.js';
import type { AdminCaller } from './admin.js';
import {
  connectorTurn,
  putInForce,
  replaceConnector,
  requireStoredConnector,
  type ConnectorWriteDependencies,
} from './connector-writes.js';
import { lastWins } from './last-wins.js';

export type SetConnectorEnabled = (request: {
  readonly by: AdminCaller;
  readonly id: ConnectorId;
  readonly enabled: boolean;
  readonly expectedVersion?: number;
}) => Promise<Connector>;

/** Off: its tools are unknown to agents and its conversations end. What is known of it stays. */
export function createSetConnectorEnabled(deps: ConnectorWriteDependencies): SetConnectorEnabled {
  return ({ by, id, enabled, expectedVersion }) =>
    deps.turns(
      connectorTurn(id),
      lastWins(expectedVersion, async () => {
        const before = await requireStoredConnector(deps, id, expectedVersion);
        if (before.enabled === enabled) return before;
        await replaceConnector(deps, by, before, {
          ...before,
          enabled,
          version: before.version + 1,
          updatedAt: deps.clock.now(),
        });
        return putInForce(deps, id);
      }),
    );
}
