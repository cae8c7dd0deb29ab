import { createAgentDirectory, createAuthenticator } from '../agents/index.js';
import { createLiveCatalog } from '../catalog/index.js';
import { createConnectorDirectory } from '../connectors/index.js';
import { createAccessProvider } from '../credentials/index.js';
import {
  createArgumentsRecorder,
  createPolicyDirectory,
  createPolicyEngine,
  createValidator,
  openEventLog,
  type ArgumentsRecorder,
} from '../governance/index.js';
import type { Clock, ConnectorId, Logger } from '../kernel/index.js';
import {
  createCallStatistics,
  createCallTool,
  createCompleteArgument,
  createGetPrompt,
  createHealthBook,
  createRateLimits,
  createReadResource,
  createSurfaces,
  createSyncConnector,
} from '../operations/index.js';
import { createSealer, openStorage, type Storage } from '../storage/index.js';
import { createUpstreamPool } from '../upstreams/index.js';
import type { Config } from './config/config.js';
import type { DataFolder } from './data-folder.js';
import { MasterKeyHolder } from './master-key/master-key-holder.js';
import { PublicUrl } from './public-url.js';
import { Signal } from './signal.js';
import { createToolsetIndex } from './toolset-index.js';
import { VERSION } from './version.js';

export interface HubParts {
  readonly config: Config;
  readonly folder: DataFolder;
  readonly clock: Clock;
  readonly logger: Logger;
}

export type Hub = Awaited<ReturnType<typeof composeHub>>;

/** The parts of the hub, wired by hand. Nothing runs yet and nobody listens. */
export async function composeHub(given: HubParts) {
  const parts = await openParts(given);
  const { catalog, connectors, credentials, events, policy, storage, upstreams, validator } = parts;
  const { config, clock } = given;
  const surfaces = createSurfaces({ catalog, policy });
  const recordArguments = await openArgumentsRecorder(storage, config);
  const passage = { surfaces, policy, events, credentials, upstreams, recordArguments, clock };
  const rates = createRateLimits(config.limits, clock);
  const { snapshots } = storage;
  const statistics = createCallStatistics({ events, eventStore: storage.events, clock });
  return {
    ...parts,
    surfaces,
    health: createHealthBook({ upstreams, catalog, events, clock, timeoutMs: () => config.health.timeoutMs }),
    statistics,
    callTool: createCallTool({ ...passage, rates, validator, outputCheck: config.outputCheck }),
    getPrompt: createGetPrompt(passage),
    readResource: createReadResource(passage),
    completeArgument: createCompleteArgument(passage),
    syncConnector: createSyncConnector({
      connectors,
      credentials,
      upstreams,
      validator,
      snapshots,
      catalog,
      events,
      clock,
    }),
    async close() {
      statistics.close();
      await upstreams.close();
      await events.close();
      await storage.close();
    },
  };
}

/** What operations stand on. */
async function openParts({ config, folder, clock, logger }: HubParts) {
  const { durability } = config.audit;
  const { masterKeys } = folder;
  const storage = await openStorage({ url: config.storageUrl, masterKeys, durability, clock, logger });
  const events = await openEventLog({
    store: storage.events,
    clock,
    logger: logger.child({ part: 'events' }),
  });
  const catalog = createLiveCatalog();
  const toolsets = createToolsetIndex(catalog);
  const agents = createAgentDirectory(storage.agents);
  const listChanged = new Signal<ConnectorId>();
  return {
    clock,
    logger,
    masterKey: new MasterKeyHolder({
      place: folder.keyPlace,
      keys: masterKeys,
      dataDir: folder.path,
      storage,
      clock,
    }),
    publicUrl: new PublicUrl(config.server.publicUrl),
    // Not derived from the master key, which may change while clients carry what this sealed.
    keys: { requestState: await storage.dataKeys.require('request-state') },
    storage,
    events,
    catalog,
    toolsets,
    agents,
    authenticator: createAuthenticator({ agents, clock }),
    connectors: createConnectorDirectory(storage.connectors),
    connectorsChanged: new Signal(),
    listChanged,
    policies: createPolicyDirectory(storage.policies),
    policy: createPolicyEngine({ clock, toolsetsOf: (connector, tool) => toolsets.of(connector, tool) }),
    policyChanged: new Signal(),
    validator: createValidator(),
    credentials: createAccessProvider({ credentials: storage.credentials }),
    upstreams: createUpstreamPool({
      info: { name: 'crosspoint', title: 'Crosspoint', version: VERSION },
      clock,
      logger: logger.child({ part: 'upstreams' }),
      onListChanged: (connector) => listChanged.emit(connector),
    }),
  };
}

/** Recorded arguments are in the hash chain and can never be sealed again, so their keys outlive master keys. */
async function openArgumentsRecorder({ dataKeys }: Storage, { audit }: Config): Promise<ArgumentsRecorder> {
  const sealer = createSealer({ active: { id: 'arguments', key: await dataKeys.require('arguments') } });
  return createArgumentsRecorder(audit.arguments, {
    hashKey: await dataKeys.require('argument-hash'),
    seal: (text) => sealer.seal(text, { table: 'events', record: 'call', field: 'arguments' }),
  });
}
