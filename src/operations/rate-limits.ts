import { HubError, type AgentId, type Clock } from '../kernel/index.js';
import { TurnoverMap } from '../mcp/jsonrpc/index.js';

export interface RateLimits {
  /**
   * Throws, or rejects with, `rate_limited` and the time to wait. A promise only where somebody has to be asked. `toolKey`
   * is the same however a tool is called; what is no call of a tool counts for the agent only.
   */
  require(agent: AgentId, toolKey?: string): void | Promise<void>;
}

export interface RateLimitSettings {
  /** Calls per second of one agent, and how many may come at once. Zero: no limit. */
  readonly perAgent: { readonly perSecond: number; readonly burst: number };
  /** The same for one agent and one tool. */
  readonly perTool: { readonly perSecond: number; readonly burst: number };
}

const MAX_BUCKETS = 100_000;
/** Fractions of a call that are only rounding. */
const ROUNDING = 1e-6;

/** Token buckets: steady rate, bounded bursts. A call that is refused costs nothing. */
export function createRateLimits(settings: RateLimitSettings, clock: Clock): RateLimits {
  const agents = new Buckets(settings.perAgent);
  const tools = new Buckets(settings.perTool);
  return {
    require(agent, toolKey) {
      if (!agents.isLimited && !tools.isLimited) return;
      const now = clock.monotonic();
      refuseFor(agents.waitMs(agent, now), 'this agent');
      if (toolKey !== undefined && tools.isLimited) {
        const tool = `${agent}\n${toolKey}`;
        refuseFor(tools.waitMs(tool, now), 'this tool');
        tools.take(tool, now);
      }
      agents.take(agent, now);
    },
  };
}

export function refuseFor(waitMs: number, whose: string): void {
  if (waitMs === 0) return;
  throw new HubError('rate_limited', `Too many calls for ${whose}; try again in ${waitMs} ms`, {
    retryAfterMs: waitMs,
  });
}

class Buckets {
  readonly #rate: RateLimitSettings['perAgent'];
  /** The ones used last come last, so that names nobody uses any more are forgotten first. */
  readonly #buckets = new TurnoverMap<string, { readonly tokens: number; readonly at: number }>();

  constructor(rate: RateLimitSettings['perAgent']) {
    this.#rate = rate;
  }

  get isLimited(): boolean {
    return this.#rate.perSecond > 0;
  }

  /** Zero when a call may be made now. */
  waitMs(key: string, now: number): number {
    const missing = 1 - this.#tokens(key, now);
    return missing <= ROUNDING ? 0 : Math.ceil((missing / this.#rate.perSecond) * 1000 - ROUNDING);
  }

  take(key: string, now: number): void {
    if (this.#rate.perSecond === 0) return;
    const tokens = this.#tokens(key, now) - 1;
    this.#buckets.delete(key);
    this.#buckets.set(key, { tokens, at: now });
    if (this.#buckets.size <= MAX_BUCKETS) return;
    for (const oldest of this.#buckets.keys()) {
      this.#buckets.delete(oldest);
      return;
    }
  }

  #tokens(key: string, now: number): number {
    const { perSecond, burst } = this.#rate;
    const bucket = this.#buckets.get(key);
    if (perSecond === 0 || bucket === undefined) return Math.max(1, burst);
    return Math.min(burst, bucket.tokens + (Math.max(0, now - bucket.at) / 1000) * perSecond);
  }
}
