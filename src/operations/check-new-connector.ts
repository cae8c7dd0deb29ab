import type { Connector } from '../connectors/index.js';
import type { CheckStep, ConnectorAddition } from '../contract/index.js';
import type { Clock } from '../kernel/index.js';
import { readAddition } from './add-connector.js';
import type { AdminCaller } from './admin.js';

export interface CheckNewConnectorDependencies {
  readonly allowStdioFromApi: boolean;
  readonly clock: Clock;
  /** Tries the way to an upstream with what was given beside its address. */
  readonly tryConnection: (connector: Connector, signal: AbortSignal) => AsyncIterable<CheckStep>;
}

/** Throws where the same admin could not add the connector. Nothing of it is kept. */
export type CheckNewConnector = (request: {
  readonly by: AdminCaller;
  readonly input: ConnectorAddition;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
}) => AsyncIterable<CheckStep>;

export function createCheckNewConnector(deps: CheckNewConnectorDependencies): CheckNewConnector {
  return ({ by, input, signal }) => deps.tryConnection(readAddition(deps, by, input), signal);
}
