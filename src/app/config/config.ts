import type { ConfiguredAgent } from '../../agents/index.js';
import type { Connector } from '../../connectors/index.js';
import type { Policy } from '../../governance/index.js';
import type { Secret } from '../../kernel/index.js';
import type { AdminSettings } from './admin-settings.js';
import type { AuthSettings } from './auth-settings.js';
import type { TelemetrySettings } from './telemetry-settings.js';
import type { RateLimitSettings } from '../../operations/index.js';

/** Everything the hub needs to know, decided before it starts. */
export interface Config {
  readonly server: {
    readonly host: string;
    readonly port: number;
    /** Processes that share the port. */
    readonly workers: number;
    readonly publicUrl: string | undefined;
    readonly allowedOrigins: readonly string[];
    readonly allowedHosts: readonly string[];
    /** Addresses and networks. */
    readonly trustedProxies: readonly string[];
    readonly maxBodyBytes: number;
    readonly streaming: 'auto' | 'off';
    readonly sessions: 'auto' | 'off';
    readonly batches: boolean;
    readonly rejectChunked: boolean;
    readonly fastFront: boolean;
    readonly keepAliveMs: number;
    /** 0: any number. */
    readonly connectionsPerAddress: number;
    readonly allowStdioFromApi: boolean;
  };
  readonly storageUrl: string;
  readonly coordinationUrl: string;
  readonly adminToken: Secret | undefined;
  readonly admin: AdminSettings;
  readonly auth: AuthSettings;
  readonly agents: readonly ConfiguredAgent[];
  readonly connectors: readonly Connector[];
  readonly toolsets: Readonly<Record<string, readonly string[]>>;
  readonly policies: readonly Policy[];
  readonly audit: {
    readonly arguments: 'off' | 'hashed' | 'encrypted';
    readonly durability: 'process' | 'disk';
    readonly maxEvents: number;
    readonly maxDays: number;
  };
  readonly limits: RateLimitSettings & {
    /** Calls under way at once in one process. */
    readonly inFlight: number;
  };
  readonly health: { readonly intervalMs: number; readonly timeoutMs: number };
  readonly syncIntervalMs: number;
  readonly outputCheck: 'off' | 'warn' | 'refuse';
  /** Whether clients may name calls, so that one that comes again is recognised. */
  readonly idempotencyKeys: boolean;
  readonly telemetry: TelemetrySettings;
  readonly logFormat: 'pretty' | 'json';
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  readonly dataDir: string;
  readonly configFile: string | undefined;
  /** Files and folders whose change may change this configuration. */
  readonly watched: readonly string[];
  /** Where each value came from, by dotted path. */
  readonly sources: Readonly<Record<string, ConfigSource>>;
}

export type ConfigSource = 'flag' | 'environment' | 'file' | 'stored' | 'default';

/** What the command line gave. */
export interface Flags {
  readonly config?: string;
  readonly data?: string;
  readonly host?: string;
  readonly port?: number;
  readonly workers?: number;
  readonly logFormat?: 'pretty' | 'json';
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error';
}
