import { heldTools } from '../../catalog/index.js';
import { maskUrl, type Connector } from '../../connectors/index.js';
import { ADMIN_ROUTES, type ConnectorPatch } from '../../contract/index.js';
import type { ConnectorId } from '../../kernel/index.js';
import type { AdminDependencies } from './dependencies.js';
import { expectedVersion, tagOf } from './entity-tag.js';
import { toLines } from './line-stream.js';
import { pageOf } from './list-page.js';
import { agentNamed, connectorNamed, requireFound } from './record-names.js';
import type { Register } from './register.js';
import {
  toConnectorDetail,
  toConnectorView,
  toHealthView,
  type ConnectorSurroundings,
} from './views/connector-view.js';
import { toTime } from './views/secret-state.js';
import { toToolView } from './views/tool-view.js';

const ROUTES = ADMIN_ROUTES.connectors;
const HISTORY = 20;

export function registerConnectorRoutes(register: Register, deps: AdminDependencies): void {
  const detail = async (connector: Connector) => ({
    body: toConnectorDetail(connector, await surroundings(deps, connector)),
    tag: tagOf(connector),
  });

  register(ROUTES.list, async ({ query }) => {
    const { items, ...more } = pageOf('connectors', await deps.connectors.list(), ({ id }) => id, query);
    const views = items.map(async (connector) =>
      toConnectorView(connector, await surroundings(deps, connector)),
    );
    return { body: { items: await Promise.all(views), ...more } };
  });
  register(ROUTES.add, async ({ by, body }) =>
    detail(await deps.operations.addConnector({ by, input: body })),
  );
  register(ROUTES.get, async ({ names }) => detail(await requireConnector(deps, names.id)));
  register(ROUTES.change, async ({ by, names, body, ifMatch }) => {
    const current = await requireConnector(deps, names.id);
    const change = { by, id: current.id, expectedVersion: expectedVersion(ifMatch, current) };
    const patch = withoutShownUrl(body, current);
    const { enabled, ...others } = patch;
    const onlyEnabled = enabled !== undefined && Object.keys(others).length === 0;
    return detail(
      await (onlyEnabled
        ? deps.operations.setConnectorEnabled({ ...change, enabled })
        : deps.operations.changeConnector({ ...change, patch })),
    );
  });
  register(ROUTES.remove, async ({ by, names, ifMatch }) => {
    const current = await requireConnector(deps, names.id);
    return {
      body: await deps.operations.removeConnector({
        by,
        id: current.id,
        expectedVersion: expectedVersion(ifMatch, current),
      }),
    };
  });
  registerUse(register, deps);
}

/** What is asked of a connector rather than of its description. */
function registerUse(register: Register, deps: AdminDependencies): void {
  register(ROUTES.sync, async ({ by, names, body }) => {
    const { id } = await requireConnector(deps, names.id);
    const agent =
      body.agent === undefined
        ? undefined
        : requireFound(await deps.agents.find(agentNamed(body.agent)), 'agent', body.agent).id;
    // Not ended by a client that leaves: others may have joined the same sync.
    const report = await deps.operations.syncConnector({
      connector: id,
      actor: { kind: 'admin', id: by.id, request: by.request },
      ...(agent !== undefined && { agent }),
      ...(body.accept === true && { accept: true }),
    });
    const { tools, prompts, resources, added, removed, changed, syncedAt } = report;
    return {
      body: {
        tools,
        prompts,
        resources,
        added: [...added],
        removed: [...removed],
        changed: [...changed],
        syncedAt: toTime(syncedAt),
      },
    };
  });
  register(ROUTES.tools, async ({ names, query }) => ({
    body: await toolsOf(deps, await requireConnector(deps, names.id), query),
  }));
  register(ROUTES.check, async ({ names }) => ({
    body: { steps: [...(await deps.checkConnection(await requireConnector(deps, names.id)))] },
  }));
  register(ROUTES.checkNew, async ({ by, body, signal }) => ({
    body: undefined,
    stream: toLines(deps.operations.checkNewConnector({ by, input: body, signal }), { signal }),
  }));
  register(ROUTES.logs, async ({ names }) => {
    const { id } = await requireConnector(deps, names.id);
    return { body: { lines: [...deps.upstreams.recentStderr(id)] } };
  });
  register(ROUTES.health, async ({ names }) => {
    const connector = await requireConnector(deps, names.id);
    return { body: toHealthView(seenHere(deps, connector)) };
  });
}

async function toolsOf(deps: AdminDependencies, connector: Connector, query: Parameters<typeof pageOf>[3]) {
  const snapshot = await snapshotOf(deps, connector.id);
  const history = await deps.snapshots.history(connector.id, HISTORY);
  const exposed = new Map(snapshot?.names.tools);
  const held = snapshot === undefined ? undefined : heldTools(snapshot);
  const tools = (snapshot?.tools ?? []).map((tool) =>
    toToolView({ connector, tool, exposedName: exposed.get(tool.name) ?? tool.name }),
  );
  return {
    ...pageOf(`tools of ${connector.id}`, tools, ({ tool }) => tool, query),
    syncedAt: snapshot === undefined ? null : toTime(snapshot.takenAt),
    ...(snapshot !== undefined && { listedAs: snapshot.listedAs }),
    rejected: (snapshot?.rejected ?? []).map(({ kind, name, reason }) => ({
      kind,
      name,
      reason,
      ...(kind === 'tool' && held?.has(name) === true && { held: true as const }),
    })),
    history: history.map(({ takenAt, hash, diff: { added, removed, changed } }) => ({
      takenAt: toTime(takenAt),
      hash,
      added: [...added],
      removed: [...removed],
      changed: [...changed],
    })),
  };
}

async function requireConnector(deps: AdminDependencies, name: string): Promise<Connector> {
  return requireFound(await deps.connectors.find(connectorNamed(name)), 'connector', name);
}

async function surroundings(deps: AdminDependencies, connector: Connector): Promise<ConnectorSurroundings> {
  const [snapshot, credentials] = await Promise.all([
    snapshotOf(deps, connector.id),
    deps.credentials.list(connector.id),
  ]);
  const now = deps.clock.now();
  return {
    ...seenHere(deps, connector),
    snapshot,
    credentials,
    now,
  };
}

function seenHere({ health, upstreams, instance }: AdminDependencies, connector: Connector) {
  return { health: health.healthOf(connector), traffic: upstreams.stateOf(connector.id), instance };
}

async function snapshotOf(deps: AdminDependencies, id: ConnectorId) {
  return deps.catalog.snapshotOf(id) ?? (await deps.snapshots.latest(id));
}

/** Whoever sends back the address as it was shown has not changed it. */
function withoutShownUrl(patch: ConnectorPatch, { endpoint }: Connector): ConnectorPatch {
  const { url, ...others } = patch;
  return endpoint.transport !== 'stdio' && url === maskUrl(endpoint.url) ? others : patch;
}
