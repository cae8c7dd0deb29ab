import { join } from 'node:path';
import { createAdminDirectory, createAgentDirectory, createAuthenticator } from '../agents/index.js';
import type { WorkerLink } from '../coordination/index.js';
import { createLiveCatalog, createSchemaIndex, type LiveCatalog } from '../catalog/index.js';
import { createConnectorDirectory, type Connector } from '../connectors/index.js';
import {
  createArgumentsRecorder,
  createPolicyDirectory,
  createPolicyEngine,
  createValidator,
  type ArgumentsRecorder,
} from '../governance/index.js';
import { createClientNetworkOf, createLoadGuard, CrowdedGates } from '../edge/index.js';
import type { Clock, ConnectorId, Logger } from '../kernel/index.js';
import {
  createBridgeLosses,
  createCallStatistics,
  createCallTool,
  createClientApprovals,
  createCompleteArgument,
  createGetPrompt,
  createHealthBook,
  createPassThrough,
  createRateLimits,
  createSharedRateLimits,
  createReadResource,
  createSurfaces,
  createSyncConnector,
  createWatchResource,
  FlowBook,
  HeldCalls,
  HeldElsewhere,
  TakenCalls,
  RepeatedCalls,
  TaskDesk,
  type CallStatistics,
  type CallStatisticsBook,
} from '../operations/index.js';
import { createSealer, type Storage } from '../storage/index.js';
import { createUpstreamPool, type UpstreamChange, type Upstreams } from '../upstreams/index.js';
import { createAcceptedPolicies } from './accepted-policies.js';
import { announcing, announcingSnapshots } from './announcing.js';
import { ChildGuard } from './child-guard.js';
import { ChildRecords } from './child-records.js';
import { composeConnections, composeTokens } from './compose-accounts.js';
import { composeBrowser } from './compose-browser.js';
import { composeCallers } from './compose-callers.js';
import { composeTelemetry, observeOffers } from './compose-telemetry.js';
import type { Config } from './config/config.js';
import { hasEmbeddedStore } from './config/check-workers.js';
import type { DataFolder } from './data-folder.js';
import { GONE_MS } from './instance.js';
import { KeyWatch, usesVault } from './master-key/key-watch.js';
import { MasterKeyHolder } from './master-key/master-key-holder.js';
import { openShared } from './open-shared.js';
import { PublicUrl } from './public-url.js';
import { ProcessFolders } from './process-folders.js';
import { Signal } from './signal.js';
import { SyncVerdicts } from './sync-verdicts.js';
import { createToolsetIndex } from './toolset-index.js';
import { VERSION } from './version.js';

export interface HubParts {
  readonly config: Config;
  readonly folder: DataFolder;
  readonly clock: Clock;
  readonly logger: Logger;
  /** To the process that runs this one among others. */
  readonly link?: WorkerLink | undefined;
}

export type Hub = Awaited<ReturnType<typeof composeHub>>;

/** The parts of the hub, wired by hand. Nothing runs yet and nobody listens. */
export async function composeHub(given: HubParts) {
  const parts = await openParts(given);
  const { catalog, credentials, events, policy, storage, upstreams, validator } = parts;
  const { config, clock, logger } = given;
  const surfaces = createSurfaces({ catalog, policy });
  const recordArguments = await openArgumentsRecorder(storage, config);
  const { kept, heldElsewhere, rates } = composeBetweenReplicas(parts, given);
  const passage = { surfaces, policy, events, credentials, upstreams, recordArguments, clock, ...kept };
  const guards = { validator, outputCheck: config.outputCheck };
  const shared = { store: storage.tasks, ...(parts.shared && { board: parts.board }) };
  const tasks = new TaskDesk({ ...passage, ...guards, ...shared, tickets: storage.tickets, rates, logger });
  const statistics = composeStatistics(parts, given);
  const snapshots = announcingSnapshots(storage.snapshots, parts.replicas);
  const watched = composeWatch(parts, given);
  const syncConnector = createSyncConnector({ ...parts, snapshots, health: watched.health, clock });
  const connecting = composeConnections({ ...parts, syncConnector });
  observeOffers(parts.telemetry.registry, { catalog, ...kept, ...watched });
  return {
    ...parts,
    ...watched,
    ...composeVisitors(parts, given),
    clients: createClientApprovals({ ...parts, tickets: storage.tickets }),
    surfaces,
    ...kept,
    statistics,
    tasks,
    callTool: createCallTool({
      ...passage,
      ...guards,
      tasks,
      rates,
      accounts: connecting.connections.desk,
      repeats: composeRepeats(parts, given),
    }),
    getPrompt: createGetPrompt(passage),
    readResource: createReadResource(passage),
    completeArgument: createCompleteArgument({ ...passage, rates }),
    passThrough: createPassThrough({ ...passage, rates }),
    watchResource: createWatchResource(passage),
    syncConnector,
    ...connecting,
    async close() {
      parts.keyWatch.close();
      watched.load.close();
      statistics.close();
      await heldElsewhere.close();
      tasks.close();
      await kept.held.close();
      await upstreams.close();
      parts.children.close();
      await parts.tokens.close();
      await parts.telemetry.close();
      await events.close();
      await parts.instance.stop();
      await storage.close();
      parts.board.close();
      await parts.coordination.close();
    },
  };
}

/** Workers on the embedded store ask whoever writes for all of them. */
function composeStatistics(
  { events, storage }: Awaited<ReturnType<typeof openParts>>,
  { clock, link, config }: HubParts,
): CallStatisticsBook {
  if (link === undefined || !hasEmbeddedStore(config))
    return createCallStatistics({ events, eventStore: storage.events, clock });
  return {
    read: async () => (await link.ask('statistics', [])) as CallStatistics,
    close() {},
  };
}

/** What is one thing, however many replicas there are. */
function composeBetweenReplicas(
  { board, coordination, instance, losses, policy, shared, storage }: Awaited<ReturnType<typeof openParts>>,
  { config, clock }: HubParts,
) {
  const held = new HeldCalls({ self: board.self });
  const taken = new TakenCalls({ tickets: storage.tickets, clock, self: instance.id });
  const heldElsewhere = new HeldElsewhere({ held, board, taken, clock });
  held.lookElsewhere(heldElsewhere);
  const rates =
    shared === undefined
      ? createRateLimits(config.limits, clock)
      : createSharedRateLimits(config.limits, shared.store, clock);
  const flows = new FlowBook({ policy, store: coordination.store, clock });
  return { kept: { held, flows, losses }, heldElsewhere, rates };
}

function composeRepeats(
  { storage, events, instance }: Awaited<ReturnType<typeof openParts>>,
  { config, clock }: HubParts,
): RepeatedCalls | undefined {
  if (!config.idempotencyKeys) return undefined;
  const isAlive = async (id: string) => (await storage.instances.living(GONE_MS)).has(id);
  return new RepeatedCalls({ tickets: storage.tickets, events, clock, self: instance.id, isAlive });
}

/** Who comes with a browser, and as whom anybody is counted. */
function composeVisitors(parts: Awaited<ReturnType<typeof openParts>>, { config }: HubParts) {
  const { trustedProxies } = config.server;
  return { browser: composeBrowser(parts), clientNetworkOf: createClientNetworkOf(trustedProxies) };
}

/** What keeps an eye on upstreams and on the process itself. */
function composeWatch(parts: Awaited<ReturnType<typeof openParts>>, { config, clock, logger }: HubParts) {
  const { upstreams, catalog, events } = parts;
  const timeoutMs = () => config.health.timeoutMs;
  const { shared, replicas } = parts;
  const verdicts = shared && new SyncVerdicts({ shared, replicas, logger });
  const tellOthers = (connector: Connector, why: string | undefined): void => verdicts?.tell(connector, why);
  const health = createHealthBook({ upstreams, catalog, events, clock, timeoutMs, tellOthers });
  parts.upstreamChanged.on((change) => health.note(change));
  const { crowded } = parts;
  return { health, verdicts, load: createLoadGuard({ maxCalls: config.limits.inFlight, logger, crowded }) };
}

/** What operations stand on. */
async function openParts(given: HubParts) {
  const { config, folder, clock, logger, link } = given;
  const shared = await openShared(given);
  const { storage, replicas } = shared;
  const catalog = createLiveCatalog();
  const toolsets = createToolsetIndex(catalog);
  const agents = createAgentDirectory(storage.agents);
  const now = clock.now();
  const admins = createAdminDirectory({ store: storage.admins, hubToken: folder.adminToken, now });
  const agentsChanged = new Signal();
  const listChanged = new Signal<ConnectorId>();
  const upstreamChanged = new Signal<UpstreamChange>();
  const children = new ChildRecords(join(folder.path, 'children'), new ChildGuard());
  const folders = composeFolders(folder, children);
  const publicUrl = new PublicUrl(config.server.publicUrl);
  const callers = composeCallers({ ...shared, config, publicUrl, agents, admins, clock });
  const telemetry = await composeTelemetry({ ...shared, config, clock, logger, link });
  const losses = createBridgeLosses({ events: shared.events, clock });
  const crowded = new CrowdedGates();
  const watch = { schemaOf: createSchemaIndex(catalog), listChanged, upstreamChanged };
  const upstreams = openUpstreams(given, { ...watch, children, folders, crowded, losses });
  const masterKey = composeMasterKey(given, storage);
  const keyWatch = watchKey(given, masterKey, catalog, upstreams);
  return {
    clock,
    logger,
    masterKey,
    keyWatch,
    publicUrl,
    // Not derived from the master key, which may change while clients carry what this sealed.
    keys: { requestState: await storage.dataKeys.require('request-state') },
    ...shared,
    catalog,
    toolsets,
    agents,
    admins,
    callers,
    agentsChanged,
    authenticator: announcing(
      createAuthenticator({ agents, clock, tokens: callers.verifier }),
      replicas,
      agentsChanged,
    ),
    connectors: createConnectorDirectory(storage.connectors),
    connectorsChanged: new Signal(),
    listChanged,
    upstreamChanged,
    children,
    folders,
    policies: createPolicyDirectory(storage.policies),
    policy: composePolicy(given, toolsets),
    policyChanged: new Signal(),
    validator: createValidator(),
    ...composeTokens({ ...shared, upstreams, publicUrl, clock, keyWatch }),
    upstreams,
    crowded,
    losses,
    telemetry,
  };
}

interface UpstreamParts {
  readonly schemaOf: ReturnType<typeof createSchemaIndex>;
  readonly listChanged: Signal<ConnectorId>;
  readonly upstreamChanged: Signal<UpstreamChange>;
  readonly children: ChildRecords;
  readonly folders: ProcessFolders;
  readonly crowded: CrowdedGates;
  readonly losses: ReturnType<typeof createBridgeLosses>;
}

function openUpstreams({ clock, logger }: HubParts, parts: UpstreamParts): Upstreams {
  const { schemaOf, listChanged, upstreamChanged, children, folders, crowded, losses } = parts;
  return createUpstreamPool({
    info: { name: 'crosspoint', title: 'Crosspoint', version: VERSION },
    clock,
    logger: logger.child({ part: 'upstreams' }),
    schemaOf,
    onListChanged: (connector) => listChanged.emit(connector),
    onChange: (change) => upstreamChanged.emit(change),
    onProcess: (child) => children.record(child),
    folderFor: (connector) => folders.open(connector),
    gates: crowded,
    onQuestionRefused: (question) => losses.questionRefused(question),
  });
}

function composeFolders({ path }: DataFolder, children: ChildRecords): ProcessFolders {
  return new ProcessFolders({ folder: join(path, 'work'), temporary: () => children.folder });
}

/** Of all workers of one machine, who have the same data folder. */
function composeMasterKey({ folder, clock, link }: HubParts, storage: Storage): MasterKeyHolder {
  const tellOthers =
    link &&
    (async () => {
      await link.ask('keys.changed', []);
    });
  const holder = new MasterKeyHolder({
    place: folder.keyPlace,
    keys: folder.masterKeys,
    dataDir: folder.path,
    storage,
    clock,
    tellOthers,
  });
  link?.serve('keys.adopt', () => holder.adopt());
  return holder;
}

function composePolicy({ clock, folder }: HubParts, toolsets: ReturnType<typeof createToolsetIndex>) {
  return createPolicyEngine({
    clock,
    toolsetsOf: (connector, tool) => toolsets.of(connector, tool),
    accepted: createAcceptedPolicies(join(folder.path, 'policies.accepted')),
  });
}

/** When what is stored is locked, conversations in which it was shown end. */
function watchKey(
  { folder, clock, logger }: HubParts,
  masterKey: MasterKeyHolder,
  catalog: LiveCatalog,
  upstreams: Pick<Upstreams, 'drop'>,
): KeyWatch {
  return new KeyWatch({
    place: folder.keyPlace,
    active: () => masterKey.active,
    clock,
    logger,
    onLocked() {
      for (const connector of catalog.connectors())
        if (usesVault(connector)) upstreams.drop(connector.id).catch(() => {});
    },
  });
}

/** Recorded arguments are in the hash chain and can never be sealed again, so their keys outlive master keys. */
async function openArgumentsRecorder({ dataKeys }: Storage, { audit }: Config): Promise<ArgumentsRecorder> {
  const sealer = createSealer({ active: { id: 'arguments', key: await dataKeys.require('arguments') } });
  return createArgumentsRecorder(audit.arguments, {
    hashKey: await dataKeys.require('argument-hash'),
    seal: (text) => sealer.seal(text, { table: 'events', record: 'call', field: 'arguments' }),
  });
}
