import type { AdminDirectory, AgentReader } from '../../agents/index.js';
import type { LiveCatalog, SnapshotReader } from '../../catalog/index.js';
import type { Connector, ConnectorReader } from '../../connectors/index.js';
import type { CheckAnswer } from '../../contract/index.js';
import type { CredentialStore } from '../../credentials/index.js';
import type { EventLog, EventStore, PolicyHistory, PolicyReader } from '../../governance/index.js';
import type { Clock, Logger, Tracer } from '../../kernel/index.js';
import type {
  AdminOperations,
  CallStatisticsBook,
  ClientApprovals,
  ConnectorHealth,
  MasterKeyPort,
  Surfaces,
} from '../../operations/index.js';
import type { Upstreams } from '../../upstreams/index.js';
import type { BrowserGate } from '../pages/browser-cookie.js';
import type { AuthenticateAdmin } from './authentication.js';

/** What the admin API stands on: readers for what it shows, operations for what it has done. */
export interface AdminDependencies {
  readonly authenticateAdmin: AuthenticateAdmin;
  readonly operations: AdminOperations;
  readonly connectors: ConnectorReader;
  readonly agents: AgentReader;
  readonly admins: Pick<AdminDirectory, 'list'>;
  readonly clients: Pick<ClientApprovals, 'list'>;
  readonly policies: PolicyReader;
  readonly policyHistory: PolicyHistory;
  /** `find` is used for versions and last characters only. */
  readonly credentials: Pick<CredentialStore, 'find' | 'list'>;
  readonly snapshots: SnapshotReader;
  readonly catalog: LiveCatalog;
  readonly surfaces: Surfaces;
  readonly health: { healthOf(connector: Connector): ConnectorHealth };
  /** The name of this process, where others answer beside it. */
  readonly instance?: string | undefined;
  /** Tries the way to an upstream. */
  readonly checkConnection: (connector: Connector) => Promise<readonly CheckAnswer['steps'][number][]>;
  readonly upstreams: Pick<Upstreams, 'recentStderr' | 'stateOf'>;
  readonly statistics: Pick<CallStatisticsBook, 'read'>;
  readonly events: Pick<EventLog, 'available' | 'subscribe' | 'flush'>;
  readonly eventStore: Pick<EventStore, 'query' | 'last' | 'count'>;
  readonly masterKey: Pick<MasterKeyPort, 'state'>;
  readonly about: AboutHub;
  /** The address of a page of this hub. */
  readonly urlOf: (path: string) => string;
  readonly gate: Pick<BrowserGate, 'clearCookie'>;
  /** What was changed counts in every process of the hub, as far as that can be waited for. */
  readonly settled: () => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Where somebody wants traces. */
  readonly tracer?: Tracer | undefined;
  readonly maxBodyBytes: number;
  /** Ends open event streams. */
  readonly shutdown?: AbortSignal;
  readonly streams?: StreamLimits;
}

export interface AboutHub {
  readonly version: string;
  readonly startedAt: number;
  readonly storageKind: string;
  /** Asked anew each time because configuration is reloaded; so is where each value came from, by dotted path. */
  readonly configFile: () => string | undefined;
  readonly configSources: () => Readonly<Record<string, string>>;
}

export interface StreamLimits {
  readonly maxStreams?: number;
  readonly keepAliveMs?: number;
  /** Where other processes write the log too: how often it is looked for what they wrote. */
  readonly lookMs?: number;
  /** How long a client may leave what was sent unread. */
  readonly stallMs?: number;
}
