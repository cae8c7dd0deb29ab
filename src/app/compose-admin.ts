import { createAdminApp, createBearerAuthentication } from '../edge/index.js';
import { createAdminOperations, createCheckAdminToken } from '../operations/index.js';
import type { Hub } from './compose.js';
import type { Config } from './config/config.js';
import type { DataFolder } from './data-folder.js';
import { VERSION } from './version.js';

export interface AdminParts {
  readonly hub: Hub;
  /** Asked each time, because it is reloaded. */
  readonly config: () => Config;
  readonly folder: DataFolder;
  readonly shutdown: AbortSignal;
}

/** The admin API over the parts of the hub. */
export function composeAdmin({ hub, config, folder, shutdown }: AdminParts) {
  const { storage } = hub;
  const operations = createAdminOperations({
    ...hub,
    connectorStore: storage.connectors,
    agentStore: storage.agents,
    policyStore: storage.policies,
    credentialStore: storage.credentials,
    snapshots: storage.snapshots,
    eventStore: storage.events,
    allowStdioFromApi: config().server.allowStdioFromApi,
    policyChanged: () => hub.policyChanged.emit(),
    connectorsChanged: () => hub.connectorsChanged.emit(),
  });
  const checkAdminToken = createCheckAdminToken({ ...hub, token: folder.adminToken });
  return createAdminApp({
    ...hub,
    operations,
    authenticateAdmin: createBearerAuthentication(checkAdminToken),
    credentials: storage.credentials,
    snapshots: storage.snapshots,
    eventStore: storage.events,
    about: {
      version: VERSION,
      startedAt: hub.clock.now(),
      storageKind: storage.kind,
      configFile: config().configFile,
      configSources: () => config().sources,
    },
    maxBodyBytes: config().server.maxBodyBytes,
    shutdown,
  });
}
