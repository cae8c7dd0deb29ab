import {
  acceptedTools,
  buildSnapshot,
  diffSnapshots,
  heldTools,
  OfferDigests,
  type LiveCatalog,
  type Snapshot,
  type SnapshotDiff,
  type SnapshotStore,
} from '../catalog/index.js';
import type { Connector, ConnectorDirectory } from '../connectors/index.js';
import type { Access, AccessProvider } from '../credentials/index.js';
import type { Actor, EventLog, Validator } from '../governance/index.js';
import {
  HubError,
  inSlices,
  isHubError,
  type AgentId,
  type Clock,
  type ConnectorId,
} from '../kernel/index.js';
import type { Tool } from '../mcp/model/index.js';
import type { Upstreams } from '../upstreams/index.js';
import type { HealthBook } from './connector-health.js';
import { repeatRead } from './repeat-read.js';
import { withRenewal } from './require-renewed.js';

export interface SyncReport extends SnapshotDiff {
  readonly tools: number;
  readonly prompts: number;
  readonly resources: number;
  readonly syncedAt: number;
}

export interface SyncRequest {
  readonly connector: ConnectorId;
  readonly actor: Actor;
  /** Whose credential may be used where neither anonymous nor shared listing works; else that of whom the last one used. */
  readonly agent?: AgentId;
  /** Whether it is made because there is a credential that was not there before. */
  readonly newCredential?: boolean;
  /** Offers tools that changed, where they would be held back. */
  readonly accept?: boolean;
  readonly signal?: AbortSignal;
}

export interface SyncDependencies {
  readonly connectors: ConnectorDirectory;
  readonly credentials: AccessProvider;
  readonly upstreams: Upstreams;
  readonly validator: Validator;
  readonly snapshots: SnapshotStore;
  readonly catalog: LiveCatalog;
  readonly events: EventLog;
  readonly health: Pick<HealthBook, 'listed'>;
  readonly clock: Clock;
}

export type SyncConnector = (request: SyncRequest) => Promise<SyncReport>;

/** Fetches what a connector offers now. A failed sync keeps what was known; whoever asks while one runs gets its outcome. */
export function createSyncConnector(dependencies: SyncDependencies): SyncConnector {
  const deps = { ...dependencies, digests: new OfferDigests() };
  const running = new Map<
    ConnectorId,
    { readonly agent: AgentId | undefined; readonly report: Promise<SyncReport> }
  >();
  return function syncConnector(request): Promise<SyncReport> {
    const current = running.get(request.connector);
    if (current === undefined) {
      const report = run(deps, request).finally(() => running.delete(request.connector));
      running.set(request.connector, { agent: request.agent, report });
      return report;
    }
    // The one under way may fail for want of exactly the credential that this one brings, or because it asked a connector
    // that is described differently by now.
    const bringsCredential =
      request.newCredential === true || (request.agent !== undefined && request.agent !== current.agent);
    // Nor has the one under way accepted anything.
    if (request.accept === true) return current.report.catch(() => {}).then(() => syncConnector(request));
    return current.report.catch((error: unknown) => {
      if (bringsCredential || isHubError(error, 'conflict')) return syncConnector(request);
      throw error;
    });
  };
}

/** What syncs know of each other. */
interface Surroundings extends SyncDependencies {
  readonly digests: OfferDigests;
}

async function run(deps: Surroundings, request: SyncRequest): Promise<SyncReport> {
  const connector = await deps.connectors.require(request.connector);
  try {
    if (!connector.enabled) throw new HubError('connector_disabled', `connector ${connector.id} is disabled`);
    const before = deps.catalog.snapshotOf(connector.id) ?? (await deps.snapshots.latest(connector.id));
    const snapshot = await takeSnapshot(deps, connector, request, before);
    const diff = diffSnapshots(before, snapshot, (offer) => deps.digests.of(offer));
    await requireUnchanged(deps, connector);
    await deps.snapshots.save(snapshot, diff);
    await requireUnchanged(deps, connector);
    deps.catalog.putConnector(connector);
    deps.catalog.putSnapshot(snapshot);
    recordSync(deps.events, request.actor, snapshot, diff);
    deps.health.listed(connector);
    return {
      tools: snapshot.tools.length,
      prompts: snapshot.prompts.length,
      resources: snapshot.resources.length,
      ...diff,
      syncedAt: snapshot.takenAt,
    };
  } catch (error) {
    const { code, message } =
      error instanceof HubError ? error : { code: 'internal' as const, message: 'unexpected failure' };
    deps.events.append(request.actor, {
      type: 'connector.sync_failed',
      connector: connector.id,
      error: code,
      reason: message.slice(0, 512),
    });
    const current = await deps.connectors.find(connector.id).catch(() => undefined);
    if (current === connector) deps.health.listed(connector, error);
    throw error;
  }
}

/** What was listed at an address that is no longer the connector's must not be offered as its own. */
async function requireUnchanged({ connectors }: SyncDependencies, connector: Connector): Promise<void> {
  if ((await connectors.find(connector.id)) === connector) return;
  throw new HubError('conflict', `connector ${connector.id} was changed or removed while it was asked`);
}

/** What says that it is the credential that does not do. */
const REFUSALS: readonly string[] = ['credential_required', 'oauth_refused', 'oauth_unavailable'];

/** Listing may be open to everyone, also where a credential does not do. What is reported is the last refusal of one. */
async function takeSnapshot(
  deps: Surroundings,
  connector: Connector,
  request: SyncRequest,
  before: Snapshot | undefined,
): Promise<Snapshot> {
  const agent = request.agent ?? listerOf(before);
  const accesses = await deps.credentials.listingAccesses(connector, agent);
  let refusal: unknown;
  for (const access of accesses) {
    try {
      return await withRenewal(deps.credentials, connector, access, () =>
        repeatRead(connector.retries, request.signal, () =>
          listOnce(deps, connector, access, request, before),
        ),
      );
    } catch (error) {
      if (!(error instanceof HubError) || !REFUSALS.includes(error.code)) throw error;
      if (refusal === undefined || access.owner !== 'anonymous') refusal = error;
    }
  }
  throw accesses.length > 1
    ? refusal
    : new HubError(
        'credential_required',
        `connector ${connector.id} lists its tools only to those who sign in, and ${whoIsMissing(connector, agent)}`,
        { cause: refusal },
      );
}

/** The agent that the list is of. Where only agents are shown one, it is kept up to date with the same credential. */
function listerOf(before: Snapshot | undefined): AgentId | undefined {
  const { listedAs = 'anonymous' } = before ?? {};
  return listedAs === 'anonymous' || listedAs === 'shared' ? undefined : listedAs;
}

function whoIsMissing({ credentialMode }: Connector, agent: AgentId | undefined): string {
  if (credentialMode !== 'per_agent') return 'no credential is known yet';
  return agent === undefined ? 'no agent was named to ask as' : `agent ${agent} has to do so first`;
}

async function listOnce(
  deps: Surroundings,
  connector: Connector,
  access: Access,
  request: SyncRequest,
  before: Snapshot | undefined,
): Promise<Snapshot> {
  const lease = await deps.upstreams.open(connector, access, {
    // Whoever's credential is shown: some servers offer tools only to clients that can be asked, and lists are for all.
    principal: 'hub',
    signal: request.signal,
    insists: request.actor.kind === 'admin',
  });
  try {
    const { refused, ...offers } = await lease.upstream.listOffers(
      request.signal === undefined ? {} : { signal: request.signal },
    );
    // A list that never had anything is not missed; one that had is not taken for empty.
    const lost = refused.find(({ list }) => (before?.[list].length ?? 0) > 0);
    if (lost !== undefined) throw lost.failure;
    const listing = {
      ...offers,
      connectorId: connector.id,
      takenAt: deps.clock.now(),
      upstream: lease.upstream.identity,
      listedAs: access.owner,
    };
    const digestOf = (offer: object): string => deps.digests.of(offer);
    await deps.digests.prepare(offers);
    if (before !== undefined) await deps.digests.prepare(before);
    const verdicts = await judgeTools(deps.validator, offers.tools);
    const accepted =
      connector.changedTools === 'hold' && request.accept !== true
        ? acceptedTools(before, digestOf)
        : undefined;
    return buildSnapshot(listing, before, (tool) => verdicts.get(tool), accepted, digestOf);
  } finally {
    lease.release();
  }
}

/** Why tools cannot be offered. Thousands of schemas take long to look at. */
async function judgeTools(
  validator: Validator,
  tools: readonly Tool[],
): Promise<ReadonlyMap<Tool, string | undefined>> {
  const verdicts = new Map<Tool, string | undefined>();
  await inSlices(tools, (tool) => {
    const { inputSchema, outputSchema } = tool;
    verdicts.set(tool, validator.judge(inputSchema) ?? (outputSchema && validator.judge(outputSchema)));
  });
  return verdicts;
}

function recordSync(events: EventLog, actor: Actor, snapshot: Snapshot, diff: SnapshotDiff): void {
  const held = heldTools(snapshot).size;
  events.append(actor, {
    type: 'connector.synced',
    connector: snapshot.connectorId,
    tools: snapshot.tools.length,
    added: diff.added.length,
    removed: diff.removed.length,
    changed: diff.changed.length,
    listedAs: snapshot.listedAs,
    ...(held > 0 && { held }),
  });
}
