import { isHubError, type AgentId, type Clock, type SharedStore } from '../kernel/index.js';
import { TurnoverMap } from '../mcp/jsonrpc/index.js';
import { createRateLimits, refuseFor, type RateLimits, type RateLimitSettings } from './rate-limits.js';

type Rate = RateLimitSettings['perAgent'];

/** What is leased and not used by then is lost. */
const LEASE_MS = 1_000;
const MAX_LEASES = 100_000;

/**
 * One limit for all replicas. Each takes several tokens at a time from the bucket they share and spends them without
 * asking, so that most calls wait for nobody. All together never spend more than the limit; what one has leased and does
 * not use, a tenth of the burst at most, is missing to the others for a second. While the bucket cannot be reached each
 * replica keeps to the limit by itself.
 */
export function createSharedRateLimits(
  settings: RateLimitSettings,
  store: Pick<SharedStore, 'takeTokens'>,
  clock: Clock,
): RateLimits {
  const own = createRateLimits(settings, clock);
  const agents = new Leases(settings.perAgent, 'agent', store, clock);
  const tools = new Leases(settings.perTool, 'tool', store, clock);

  const isReady = (agent: AgentId, tool: string | undefined): boolean =>
    agents.has(agent) && (tool === undefined || tools.has(tool));
  const spend = (agent: AgentId, tool: string | undefined): void => {
    agents.spend(agent);
    if (tool !== undefined) tools.spend(tool);
  };

  async function lease(agent: AgentId, tool: string | undefined, toolKey: string | undefined): Promise<void> {
    try {
      while (!isReady(agent, tool)) {
        refuseFor(await agents.lease(agent), 'this agent');
        if (tool !== undefined) refuseFor(await tools.lease(tool), 'this tool');
      }
    } catch (error) {
      if (!isHubError(error, 'storage_unavailable')) throw error;
      await own.require(agent, toolKey);
      return;
    }
    spend(agent, tool);
  }

  return {
    require(agent, toolKey) {
      const tool = toolKey === undefined ? undefined : `${agent}\n${toolKey}`;
      if (!isReady(agent, tool)) return lease(agent, tool, toolKey);
      spend(agent, tool);
      return undefined;
    },
  };
}

interface Lease {
  tokens: number;
  until: number;
  /** There are none before. */
  emptyUntil: number;
  asking: Promise<number> | undefined;
}

class Leases {
  readonly #rate: Rate;
  readonly #kind: string;
  readonly #store: Pick<SharedStore, 'takeTokens'>;
  readonly #clock: Clock;
  readonly #size: number;
  readonly #leases = new TurnoverMap<string, Lease>();

  constructor(rate: Rate, kind: string, store: Pick<SharedStore, 'takeTokens'>, clock: Clock) {
    this.#rate = rate;
    this.#kind = kind;
    this.#store = store;
    this.#clock = clock;
    this.#size = Math.max(1, Math.min(Math.floor(rate.burst / 10), Math.ceil(rate.perSecond / 4)));
  }

  has(key: string): boolean {
    if (this.#rate.perSecond === 0) return true;
    const lease = this.#leases.get(key);
    return lease !== undefined && lease.tokens >= 1 && this.#clock.monotonic() < lease.until;
  }

  spend(key: string): void {
    const lease = this.#leases.get(key);
    if (lease === undefined) return;
    lease.tokens--;
    // Before the last one is spent, so that nobody has to wait for the next.
    if (lease.tokens === Math.floor(this.#size / 2) && this.#size > 1) this.#ask(key, lease).catch(() => {});
  }

  /** How long to wait; zero when there is one. */
  async lease(key: string): Promise<number> {
    if (this.has(key)) return 0;
    const lease = this.#open(key);
    const left = lease.emptyUntil - this.#clock.monotonic();
    return left > 0 ? Math.ceil(left) : this.#ask(key, lease);
  }

  #ask(key: string, lease: Lease): Promise<number> {
    lease.asking ??= this.#take(key, lease).finally(() => (lease.asking = undefined));
    return lease.asking;
  }

  async #take(key: string, lease: Lease): Promise<number> {
    const { perSecond, burst } = this.#rate;
    const wish = { perSecond, burst: Math.max(1, burst), atMost: this.#size };
    const { granted, waitMs } = await this.#store.takeTokens(`${this.#kind}:${key}`, wish);
    const now = this.#clock.monotonic();
    if (granted === 0) {
      lease.emptyUntil = now + waitMs;
      return waitMs;
    }
    lease.tokens = (now < lease.until ? lease.tokens : 0) + granted;
    lease.until = now + LEASE_MS;
    return 0;
  }

  #open(key: string): Lease {
    let lease = this.#leases.get(key);
    if (lease !== undefined) return lease;
    this.#leases.set(key, (lease = { tokens: 0, until: 0, emptyUntil: 0, asking: undefined }));
    if (this.#leases.size > MAX_LEASES) {
      for (const oldest of this.#leases.keys()) {
        this.#leases.delete(oldest);
        break;
      }
    }
    return lease;
  }
}
