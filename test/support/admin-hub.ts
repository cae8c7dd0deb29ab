import { createAdminDirectory, createAgentDirectory, createAuthenticator } from '../../src/agents/index.js';
import { createLiveCatalog } from '../../src/catalog/index.js';
import { createConnectorDirectory } from '../../src/connectors/index.js';
import { createMemoryCoordination } from '../../src/coordination/index.js';
import { createAccessProvider, TokenKeeper } from '../../src/credentials/index.js';
import {
  openAdminApp,
  createAdminAuthentication,
  createBearerAuthentication,
  createClientNetworkOf,
  createCookieAuthentication,
  type AuthenticateAdmin,
  type StreamLimits,
} from '../../src/edge/index.js';
import {
  createArgumentsRecorder,
  createPolicyDirectory,
  createPolicyEngine,
  createValidator,
  openEventLog,
  type EventRecord,
} from '../../src/governance/index.js';
import { Secret, silentLogger, systemClock, type Clock } from '../../src/kernel/index.js';
import {
  createAdminOperations,
  createBridgeLosses,
  createCallStatistics,
  createCallTool,
  createClientApprovals,
  createConnectionOperations,
  createHealthBook,
  createRateLimits,
  createSurfaces,
  createSyncConnector,
  createTurns,
  FlowBook,
  HeldCalls,
  TaskDesk,
} from '../../src/operations/index.js';
import { composeBrowser } from '../../src/app/compose-browser.js';
import { MasterKeyHolder } from '../../src/app/master-key/master-key-holder.js';
import { PublicUrl } from '../../src/app/public-url.js';
import { openStorage } from '../../src/storage/index.js';
import { createScriptedAccountFlow } from './scripted-account-flow.js';
import { configureAdminHub } from './admin-hub-configuration.js';
import { createScriptedUpstreams, refuseAnonymous } from './scripted-pool.js';

const HUB_URL = 'http://hub.test';
export const ADMIN_TOKEN = 'admin-token-0123456789abcdef';
const MASTER_KEYS = { active: { id: 'test', key: Buffer.alloc(32, 7) } };

export interface AdminHubOptions {
  readonly clock?: Clock;
  readonly allowStdioFromApi?: boolean;
  readonly authenticateAdmin?: AuthenticateAdmin;
  readonly maxBodyBytes?: number;
  readonly streams?: StreamLimits;
}

export type AdminHub = Awaited<ReturnType<typeof openAdminHub>>;

/** The admin API over a real store and real policies; only the upstreams are scripted. */
export async function openAdminHub(options: AdminHubOptions = {}) {
  const { clock = systemClock } = options;
  const storage = await openStorage({ url: 'sqlite::memory:', masterKeys: MASTER_KEYS, clock });
  const events = await openEventLog({ store: storage.events, clock, logger: silentLogger });
  const catalog = createLiveCatalog();
  const connectors = createConnectorDirectory(storage.connectors);
  const agents = createAgentDirectory(storage.agents);
  const policies = createPolicyDirectory(storage.policies);
  const authenticator = createAuthenticator({ agents, clock });
  const policy = createPolicyEngine({ clock });
  const surfaces = createSurfaces({ catalog, policy });
  const validator = createValidator();
  const upstreams = createScriptedUpstreams();
  const coordination = createMemoryCoordination();
  const flow = createScriptedAccountFlow(clock);
  const tokens = new TokenKeeper({
    credentials: storage.credentials,
    flow,
    ...coordination,
    clock,
    onEvent: (event) => events.append({ kind: 'hub' }, event),
    onReplaced: (connector) => void upstreams.drop(connector),
  });
  const credentials = createAccessProvider({ credentials: storage.credentials, tokens });
  const turns = createTurns();
  const health = createHealthBook({ upstreams, catalog, events, clock, timeoutMs: () => 1_000 });
  const recordArguments = createArgumentsRecorder('hashed', { hashKey: Buffer.alloc(32, 1), seal: () => '' });
  const rates = createRateLimits(
    { perAgent: { perSecond: 0, burst: 1 }, perTool: { perSecond: 0, burst: 1 } },
    clock,
  );
  const syncConnector = createSyncConnector({
    connectors,
    credentials,
    upstreams,
    validator,
    snapshots: storage.snapshots,
    catalog,
    events,
    health,
    clock,
  });
  const connections = createConnectionOperations({
    connectors,
    agents,
    credentialStore: storage.credentials,
    tickets: storage.tickets,
    flow,
    tokens,
    catalog,
    syncConnector,
    events,
    turns,
    clock,
    urlOf: (path) => `https://hub.example${path}`,
    syncWaitMs: 500,
  });
  const passage = {
    surfaces,
    flows: new FlowBook({ policy, store: coordination.store, clock }),
    validator,
    events,
    credentials,
    upstreams,
    clock,
    outputCheck: 'warn',
  } as const;
  const tasks = new TaskDesk({
    ...passage,
    rates,
    store: storage.tasks,
    tickets: storage.tickets,
    logger: silentLogger,
  });
  const callTool = createCallTool({
    ...passage,
    tasks,
    rates,
    policy,
    held: new HeldCalls(),
    recordArguments,
    accounts: connections.desk,
    losses: createBridgeLosses({ events, clock }),
  });
  const signals = { connectors: 0, policies: 0 };
  const masterKey = new MasterKeyHolder({
    place: { kind: 'file', name: 'master.key', read: () => undefined, write: () => {} },
    keys: MASTER_KEYS,
    dataDir: '/nowhere',
    storage,
    clock,
  });
  const publicUrl = new PublicUrl(HUB_URL);
  const hubToken = new Secret(ADMIN_TOKEN);
  const browser = composeBrowser({
    storage,
    agents,
    authenticator,
    events,
    admins: createAdminDirectory({ store: storage.admins, hubToken, now: clock.now() }),
    board: { tell: () => {}, serve: () => () => {} },
    publicUrl,
    clock,
    logger: silentLogger,
  });
  const clients = createClientApprovals({ tickets: storage.tickets, authenticator, events, clock });
  const operations = createAdminOperations({
    tasks,
    ...browser,
    clients,
    adminStore: storage.admins,
    tickets: storage.tickets,
    feed: coordination.feed,
    masterKey,
    connectors,
    connectorStore: storage.connectors,
    credentialStore: storage.credentials,
    oauthClients: storage.oauthClients,
    flow,
    tokens,
    turns,
    connections,
    snapshots: storage.snapshots,
    agents,
    agentStore: storage.agents,
    policies,
    policyStore: storage.policies,
    eventStore: storage.events,
    authenticator,
    policy,
    surfaces,
    catalog,
    upstreams,
    health,
    events,
    clock,
    syncConnector,
    callTool,
    syncWaitMs: 500,
    allowStdioFromApi: options.allowStdioFromApi ?? false,
    async *tryConnection() {
      yield { step: 'dns', state: 'ok', detail: 'found' };
      yield { step: 'tcp', state: 'failed', detail: 'closed', advice: 'open it' };
    },
    connectorsChanged: () => signals.connectors++,
    policyChanged: () => signals.policies++,
  });
  configureAdminHub({ connectors, agents, policies }, clock.now());
  policy.load(await policies.list());
  for (const connector of await connectors.list()) catalog.putConnector(connector);
  const shutdown = new AbortController();
  const app = await openAdminApp({
    admins: browser.admins,
    gate: browser.gate,
    urlOf: (path) => publicUrl.of(path),
    authenticateAdmin:
      options.authenticateAdmin ??
      createAdminAuthentication(
        createBearerAuthentication(browser.checkAdminToken, createClientNetworkOf([])),
        createCookieAuthentication(browser.gate),
      ),
    settled: async () => {},
    operations,
    clients,
    masterKey,
    connectors,
    agents,
    policies,
    policyHistory: storage.policies,
    credentials: storage.credentials,
    snapshots: storage.snapshots,
    catalog,
    surfaces,
    health,
    checkConnection: async () => [{ step: 'dns', state: 'ok', detail: 'found' }],
    upstreams,
    statistics: createCallStatistics({ events, eventStore: storage.events, clock }),
    events,
    eventStore: storage.events,
    about: {
      version: '9.9.9',
      startedAt: clock.now(),
      storageKind: 'sqlite',
      configFile: () => '/etc/crosspoint.yaml',
      configSources: () => ({ 'server.port': 'default' }),
    },
    clock,
    logger: silentLogger,
    maxBodyBytes: options.maxBodyBytes ?? 64 * 1024,
    shutdown: shutdown.signal,
    ...(options.streams !== undefined && { streams: options.streams }),
  });

  return {
    app,
    storage,
    events,
    catalog,
    upstreams,
    signals,
    policy,
    shutdown,
    operations,
    clients,
    flow,
    connections,
    authenticator,
    browser,
    async recorded(): Promise<readonly EventRecord[]> {
      await events.flush();
      return storage.events.query({ limit: 1_000, order: 'oldest' });
    },
    async close(): Promise<void> {
      shutdown.abort();
      await tokens.close();
      await coordination.close();
      await events.close();
      await storage.close();
    },
  };
}

export const TOOLS = {
  search: {
    name: 'search',
    description: 'Finds things',
    inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
    annotations: { readOnlyHint: true },
  },
  erase: { name: 'erase', inputSchema: { type: 'object' } },
  broken: {
    name: 'broken',
    inputSchema: { type: 'object', properties: { a: { $ref: 'https://elsewhere.example/schema.json' } } },
  },
} as const;

/** A stored connector `notes` with two good tools and a bad one, synced. */
export async function withNotes(hub: AdminHub): Promise<void> {
  hub.upstreams.script('notes', { tools: [TOOLS.search, TOOLS.erase, TOOLS.broken] });
  await ask(hub, {
    method: 'POST',
    path: '/connectors',
    body: { id: 'notes', url: 'https://notes.example/mcp' },
  });
  await ask(hub, { method: 'POST', path: '/connectors/notes/sync' });
}

/** A stored connector `mail` with an account for each agent, never synced. */
export async function withMail(hub: AdminHub): Promise<void> {
  hub.upstreams.script('mail', { tools: [TOOLS.search], open: refuseAnonymous });
  const auth = { auth: { type: 'bearer' }, credentialMode: 'per_agent' };
  const body = { id: 'mail', url: 'https://mail.example/mcp', ...auth };
  await ask(hub, { method: 'POST', path: '/connectors', body });
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** Sent as it is. */
  readonly raw?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** `null`: none. */
  readonly token?: string | null;
  readonly address?: string;
}

export async function ask(
  hub: Pick<AdminHub, 'app'>,
  { method, path, body, raw, headers = {}, token = ADMIN_TOKEN, address = '192.0.2.1' }: Asked,
): Promise<Response> {
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  return hub.app.request(
    `/api/v1${path}`,
    {
      method,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(content !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(content !== undefined && { body: content }),
    },
    { incoming: { socket: { remoteAddress: address } } },
  );
}
