import type { Connector } from '../connectors/index.js';
import type { Access } from '../credentials/index.js';
import type { HubError } from '../kernel/index.js';
import type { McpClient } from '../mcp/client/index.js';
import type { ConnectorResources } from './connector-resources.js';
import type { ConversationOwner } from './conversation-owner.js';
import type { Vitals } from './to-upstream.js';
import type { RecentCallers } from './recent-callers.js';
import { lifeSign } from './upstream-failure.js';
import type { Upstream } from './upstream.js';
import type { WatchedResources } from './watched-resources.js';

/** One conversation of the pool. */
export interface Member extends ConversationOwner {
  readonly connector: Connector;
  readonly access: Access;
  readonly common: ConnectorResources;
  readonly startedAt: number;
  readonly opening: AbortController;
  readonly client: Promise<McpClient>;
  /** Where answers can overtake questions. */
  readonly recent: RecentCallers | undefined;
  upstream: Upstream | undefined;
  leases: number;
  lastUsed: number;
  listens: boolean;
  watched: WatchedResources | undefined;
  /** When what it watches was last checked. */
  checkedAt: number;
  /** Calls in a row that were not answered. */
  silent: number;
  /** No longer given to anybody; ends with its last call. */
  retired: boolean;
}

/** One that nobody uses yet. */
export function createMember(
  init: Pick<
    Member,
    'connector' | 'access' | 'common' | 'startedAt' | 'opening' | 'client' | 'session' | 'owner' | 'recent'
  >,
): Member {
  const member: Member = {
    ...init,
    upstream: undefined,
    leases: 0,
    lastUsed: init.startedAt,
    listens: false,
    watched: undefined,
    checkedAt: init.startedAt,
    silent: 0,
    retired: false,
  };
  const { common, client } = init;
  common.begun(member);
  client.catch(() => common.over(member));
  return member;
}

/** Whether it was opened with what its owner had before: nobody will ask for it any more. */
export function isSuperseded({ connector, access }: Member, by: Member): boolean {
  return connector === by.connector && access.owner === by.access.owner && access.id !== by.access.id;
}

/** How one conversation is doing says how the connector is doing. */
export function vitalsOf(member: Member): Vitals {
  const { gate } = member.common;
  return {
    alive() {
      member.silent = 0;
      gate.alive();
    },
    failed(error: HubError) {
      if (lifeSign(error) === 'dead') member.silent++;
      gate.failed(error);
    },
  };
}

const HTTP_IDLE_MS = 300_000;
const CHECK_MS = 15_000;

/** Whether its time is up, or nobody has had a use for it for long. What it watches is checked by the way. */
export function judgeAge(member: Member, now: number): 'old' | 'idle' | 'kept' {
  const { endpoint } = member.connector;
  const isProcess = endpoint.transport === 'stdio';
  const idleMs = isProcess ? endpoint.idleStopMs : HTTP_IDLE_MS;
  const lifeMs = isProcess ? endpoint.maxLifetimeMs : 0;
  const watches = member.watched?.isIdle === false;
  if (watches && now - member.checkedAt >= CHECK_MS) {
    member.checkedAt = now;
    member.watched?.check();
  }
  if (lifeMs > 0 && now - member.startedAt > lifeMs) return 'old';
  const isUsed = member.leases > 0 || member.listens || watches;
  return !isUsed && idleMs > 0 && now - member.lastUsed > idleMs ? 'idle' : 'kept';
}

export async function close(member: Member): Promise<void> {
  member.watched?.end();
  try {
    await (await member.client).close();
  } catch {
    // A conversation that never stood, or is gone already.
  }
  member.common.over(member);
}
