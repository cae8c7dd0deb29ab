import {
  createAdminAuthentication,
  createBearerAuthentication,
  createCookieAuthentication,
  openAdminApp,
  type AuthenticateAdmin,
} from '../edge/index.js';
import { createAdminOperations } from '../operations/index.js';
import type { Hub } from './compose.js';
import type { Config } from './config/config.js';
import { checkConnection, tryConnection } from './doctor/index.js';
import { VERSION } from './version.js';

export interface AdminParts {
  readonly hub: Hub;
  /** Asked each time, because it is reloaded. */
  readonly config: () => Config;
  readonly startedAt: number;
  readonly shutdown: AbortSignal;
}

/** How soon whoever follows the log at one replica sees what another wrote. */
const OTHERS_EVENTS_MS = 1_000;

/** By token, or by the cookie of somebody who signed in. */
export function adminAuthentication({
  browser,
  clientNetworkOf,
}: Pick<Hub, 'browser' | 'clientNetworkOf'>): AuthenticateAdmin {
  return createAdminAuthentication(
    createBearerAuthentication(browser.checkAdminToken, clientNetworkOf),
    createCookieAuthentication(browser.gate),
  );
}

/** The admin API over the parts of the hub. */
export function composeAdmin({ hub, config, startedAt, shutdown }: AdminParts) {
  const { storage, browser } = hub;
  const operations = createAdminOperations({
    ...hub,
    ...browser,
    adminStore: storage.admins,
    connectorStore: storage.connectors,
    agentStore: storage.agents,
    policyStore: storage.policies,
    credentialStore: storage.credentials,
    oauthClients: storage.oauthClients,
    snapshots: storage.snapshots,
    eventStore: storage.events,
    tryConnection,
    tickets: storage.tickets,
    feed: hub.coordination.feed,
    allowStdioFromApi: config().server.allowStdioFromApi,
    policyChanged: () => {
      hub.policyChanged.emit();
      hub.replicas.announce('policies');
    },
    connectorsChanged: () => {
      hub.connectorsChanged.emit();
      hub.replicas.announce('connectors');
    },
  });
  return openAdminApp({
    ...hub,
    operations,
    instance: hub.shared && hub.instance.id,
    checkConnection,
    admins: browser.admins,
    gate: browser.gate,
    urlOf: (path) => hub.publicUrl.of(path),
    authenticateAdmin: adminAuthentication(hub),
    settled: () => hub.replicas.settled(),
    tracer: hub.telemetry.tracer,
    policyHistory: storage.policies,
    credentials: storage.credentials,
    snapshots: storage.snapshots,
    eventStore: storage.events,
    about: {
      version: VERSION,
      startedAt,
      storageKind: storage.kind,
      configFile: () => config().configFile,
      configSources: () => config().sources,
    },
    maxBodyBytes: config().server.maxBodyBytes,
    ...(hub.shared !== undefined && { streams: { lookMs: OTHERS_EVENTS_MS } }),
    shutdown,
  });
}
