import type { RequestListener, Server } from 'node:http';
import {
  createHttpListener,
  createLateListener,
  createMcpEndpoints,
  type McpEndpoints,
  type McpEndpointsOptions,
} from '../edge/index.js';
import { createNoteRefusedCaller } from '../operations/index.js';
import { createGuard, createNodeServer, createStateSeal } from '../mcp/server/index.js';
import { composeAdmin, type AdminParts } from './compose-admin.js';
import { composeSites } from './compose-sites.js';
import { readyChecks } from './compose-telemetry.js';
import type { Hub } from './compose.js';
import type { Config } from './config/config.js';
import type { DataFolder } from './data-folder.js';
import { connectionPeer } from './connection-peer.js';
import { guardOptions } from './guard-options.js';
import { VERSION } from './version.js';

export interface ServerParts {
  readonly hub: Hub;
  /** Asked each time, because it is reloaded. */
  readonly config: () => Config;
  readonly folder: DataFolder;
  readonly isReady: () => boolean;
  readonly shutdown: AbortSignal;
}

/** How long a client may take to bring an answer back. */
const STATE_MS = 10 * 60_000;

/** One HTTP server for the MCP endpoints, the admin API and the probes. It does not listen yet. */
export function composeServer({ hub, config, folder, isReady, shutdown }: ServerParts): {
  readonly server: Server;
  readonly mcp: McpEndpoints;
} {
  const { server: settings } = config();
  const guard = guardOptions(config());
  const startedAt = hub.clock.now();
  const mcp = createMcpEndpoints({
    operations: hub,
    authenticator: hub.authenticator,
    tokens: hub.callers.face,
    onRefused: createNoteRefusedCaller(hub),
    clientNetworkOf: hub.clientNetworkOf,
    catalog: hub.catalog,
    toolsets: () => hub.toolsets.all(),
    isConnector: (id) => hub.catalog.has(id),
    version: VERSION,
    streaming: settings.streaming,
    sessions: settings.sessions,
    batches: settings.batches,
    rejectChunked: settings.rejectChunked,
    guard,
    maxBodyBytes: settings.maxBodyBytes,
    load: hub.load,
    seal: createStateSeal({ key: hub.keys.requestState, lifetimeMs: STATE_MS }),
    // Kept for longer than any seal is good: what opened once opens nowhere again, in no other replica and after no restart.
    claimState: (sealed) => {
      const expiresAt = hub.clock.now() + 2 * STATE_MS;
      return hub.storage.tickets.add({ kind: 'state', name: sealed, value: '', expiresAt });
    },
    ...(hub.shared === undefined ? { kept: keptSessions(hub) } : { shared: hub.shared }),
    onSessionEnded({ id }, session, reason) {
      hub.upstreams.endAllOf(id, session);
      // Where only this process ends, another may go on with it.
      if (reason !== 'closed') hub.flows.sessionEnded(id, session);
    },
    onPolicyChange: (listener) => hub.policyChanged.on(listener),
    onAgentsChange: (listener) => hub.agentsChanged.on(listener),
    tracer: hub.telemetry.tracer,
    onServerEvent: hub.telemetry.onServerEvent,
    logger: hub.logger.child({ part: 'mcp' }),
  });
  const checks = () => readyChecks({ ...hub, isStarted: isReady });
  const listener = createHttpListener({
    mcp,
    guard: createGuard(guard),
    isReady: () => checks().every(({ ok }) => ok),
    sites: composeSites({ hub, config, folder, checks }),
    others: createLateListener(() => openAdmin({ hub, config, startedAt, shutdown }), hub.logger),
  });
  const most = settings.connectionsPerAddress;
  const onReached = (address: string): void =>
    hub.logger.warn({ address, most }, 'an address has as many connections as it may: more are closed');
  const server = createNodeServer(listener, {
    keepAliveMs: settings.keepAliveMs,
    ...(settings.fastFront && { front: (path: string) => mcp.front(path) }),
    ...(most > 0 && { addressCap: { most, peerOf: connectionPeer, onReached } }),
  });
  return { server, mcp };
}

function keptSessions({ storage: { tickets }, clock, logger }: Hub): McpEndpointsOptions['kept'] {
  const onFailure = (error: unknown): void =>
    logger.warn(
      { error: error instanceof Error ? error.message : '' },
      'sessions of clients could not be written down: they would not outlive a restart; it is tried again',
    );
  return { tickets, clock, onFailure };
}

/** The admin API is opened for the first request to it: a hub that only serves agents has no use for its memory. */
async function openAdmin(parts: AdminParts): Promise<RequestListener> {
  const { getRequestListener } = await import('@hono/node-server');
  const { fetch } = await composeAdmin(parts);
  const listener = getRequestListener(fetch, { overrideGlobalObjects: false });
  // Failures are answered by the application; there is nothing left to reject with.
  return (request, response) => void listener(request, response);
}
