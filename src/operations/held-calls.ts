import { randomUUID } from 'node:crypto';
import { HubError, type AgentId } from '../kernel/index.js';

/** A call that waits for its caller to come back with answers. */
export interface HeldCall {
  readonly owner: AgentId;
  /** Nobody will come back. Resolves when nothing is left of it. */
  end(reason: HubError): Promise<void>;
}

export interface HeldCallsOptions {
  /** How long a caller has to come back. */
  readonly lifetimeMs?: number;
  readonly perOwner?: number;
  readonly total?: number;
  /** Begins every name, so that others can tell whom to ask. */
  readonly self?: string;
}

/** Finds calls that other processes hold. */
export interface Elsewhere {
  claim(id: string, owner: AgentId): Promise<HeldCall | undefined>;
}

interface Entry {
  readonly call: HeldCall;
  readonly timer: NodeJS.Timeout;
}

/**
 * Calls between two rounds. Each is found once, by the one it belongs to; each that nobody comes back for is ended. There
 * are never more than the bounds allow, neither of one owner nor of all together.
 */
export class HeldCalls {
  readonly #lifetimeMs: number;
  readonly #perOwner: number;
  readonly #total: number;
  readonly #self: string;
  readonly #entries = new Map<string, Entry>();
  readonly #counts = new Map<AgentId, number>();
  readonly #ending = new Set<Promise<void>>();
  #closed = false;

  /** What other processes hold. */
  #elsewhere: Elsewhere | undefined;

  constructor({ lifetimeMs = 600_000, perOwner = 8, total = 1_000, self = '' }: HeldCallsOptions = {}) {
    this.#self = self;
    this.#lifetimeMs = lifetimeMs;
    this.#perOwner = perOwner;
    this.#total = total;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Under which name it will be asked for. Throws where there is no room for another. */
  hold(call: HeldCall): string {
    if (this.#closed) throw new HubError('shutting_down', 'the hub is shutting down');
    const own = this.#counts.get(call.owner) ?? 0;
    if (own >= this.#perOwner || this.#entries.size >= this.#total)
      throw new HubError('overloaded', 'Too many calls wait for answers; answer one of them first');
    const id = this.#self + randomUUID();
    const timer = setTimeout(() => this.#expire(id), this.#lifetimeMs);
    timer.unref();
    this.#entries.set(id, { call, timer });
    this.#counts.set(call.owner, own + 1);
    return id;
  }

  /** Whoever takes it has to go on with it, or end it. Undefined where there is none of this owner. */
  take(id: string, owner: AgentId): HeldCall | undefined {
    const call = this.#entries.get(id)?.call;
    if (call?.owner !== owner) return undefined;
    this.#remove(id);
    return call;
  }

  /** The same, wherever it is held. */
  async claim(id: string, owner: AgentId): Promise<HeldCall | undefined> {
    return this.take(id, owner) ?? this.#elsewhere?.claim(id, owner);
  }

  /** Those whose calls are held here. */
  owners(): ReadonlySet<AgentId> {
    return new Set(this.#counts.keys());
  }

  /** Whoever is no more will not come back. */
  endAllOf(owner: AgentId): void {
    const reason = new HubError('cancelled', 'the agent was removed or switched off');
    for (const [id, { call }] of this.#entries) if (call.owner === owner) this.#end(id, reason);
  }

  lookElsewhere(elsewhere: Elsewhere): void {
    this.#elsewhere = elsewhere;
  }

  /** Ends all of them. */
  async close(): Promise<void> {
    this.#closed = true;
    const reason = new HubError('shutting_down', 'the hub is shutting down');
    for (const id of this.#entries.keys()) this.#end(id, reason);
    await Promise.all(this.#ending);
  }

  #expire(id: string): void {
    this.#end(id, new HubError('cancelled', 'No answer came in time'));
  }

  #end(id: string, reason: HubError): void {
    const call = this.#remove(id);
    if (call === undefined) return;
    const ending = call.end(reason).finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  #remove(id: string): HeldCall | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    clearTimeout(entry.timer);
    this.#entries.delete(id);
    const { owner } = entry.call;
    const left = (this.#counts.get(owner) ?? 1) - 1;
    if (left === 0) this.#counts.delete(owner);
    else this.#counts.set(owner, left);
    return entry.call;
  }
}
