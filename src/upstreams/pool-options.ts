import type { Connector } from '../connectors/index.js';
import type { Clock, ConnectorId, Logger } from '../kernel/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';
import type { Implementation } from '../mcp/model/index.js';
import type { ProcessMark } from '../mcp/transports/index.js';
import type { GateListener } from './connector-gate.js';
import type { ProcessFolder } from './open-client.js';
import type { UpstreamChange } from './upstream.js';

export interface UpstreamPoolOptions {
  readonly info: Implementation;
  readonly clock: Clock;
  readonly logger: Logger;
  /** What the catalogue knows of a tool, for conversations in which none were listed. */
  readonly schemaOf?: (connector: ConnectorId, tool: string) => JsonObject | undefined;
  /** An upstream told that its list changed. */
  readonly onListChanged?: (connector: ConnectorId) => void;
  /** A process was started. What it returns is called when nothing is left of it. */
  readonly onProcess?: (child: ProcessMark) => () => void;
  /** Where a process of a connector runs that does not say. Undefined: where the hub runs. */
  readonly folderFor?: (connector: Connector) => ProcessFolder | undefined;
  /** An upstream stopped or began to answer. */
  readonly onChange?: (change: UpstreamChange) => void;
  readonly gates?: GateListener;
  /** An upstream asked something that was put to nobody. */
  readonly onQuestionRefused?: (question: {
    readonly connector: ConnectorId;
    readonly method: string;
    readonly reason: 'unattributed' | 'undeclared';
  }) => void;
}
