import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolEntry } from '../catalog/index.js';
import type { EventLog } from '../governance/index.js';
import {
  HubError,
  toCallId,
  type AgentId,
  type Clock,
  type Ticket,
  type TicketStore,
} from '../kernel/index.js';
import { parseJson, stringifyJson, TOLERANT_JSON } from '../mcp/jsonrpc/index.js';
import type { CallResult } from '../mcp/model/index.js';
import type { UpstreamOptions } from '../upstreams/index.js';
import type { ToolCall } from './call-tool.js';
import { answered, endOf, parseKept, type KeptCall } from './kept-call.js';
import { keptOfAgent } from './kept-of-agent.js';

/** Where a client says which of its calls are one and the same. */
const KEY = 'crosspoint/idempotencyKey';
const MAX_KEY = 255;
const KIND = 'call';
const KEEP_MS = 86_400_000;
const LOOK_MS = 250;
/** How much longer than the call itself somebody waits for one that another process makes. */
const GRACE_MS = 60_000;
/** Of all agents together: each holds an answer. */
const MOST_KEPT = 100_000;
/** Of one agent, so that none takes all the room. */
const MOST_OF_AGENT = 50_000;
const ADDED_PER_COUNT = 256;

export interface RepeatedCallsOptions {
  readonly tickets: Pick<TicketStore, 'add' | 'put' | 'find' | 'remove' | 'count' | 'sweep'>;
  readonly events: Pick<EventLog, 'append'>;
  readonly clock: Clock;
  /** This process, among those that share the store. */
  readonly self: string;
  readonly isAlive: (instance: string) => Promise<boolean>;
}

/** Leave to make a call, once. What it is passed is the call's own promise, which must settle. */
export type MakeOnce = (making: (options: UpstreamOptions) => Promise<CallResult>) => Promise<CallResult>;

/**
 * Calls to which a client gave a key, so that it can send one again without having it carried out again. A key counts for
 * its agent only, and for a day. It is written down before the call is made, and the answer before it is given.
 */
export class RepeatedCalls {
  readonly #options: RepeatedCallsOptions;
  /** Those that this process makes now; settled when their answer is stored. */
  readonly #running = new Map<string, Promise<unknown>>();
  /** Since the last count, by agent. */
  readonly #added = new Map<AgentId, number>();

  constructor(options: RepeatedCallsOptions) {
    this.#options = options;
  }

  /**
   * What the same call was answered before, or leave to make it. Undefined for calls without a key. `beforeRepeat` is
   * waited for before anything of an earlier call is told.
   */
  async begin(
    call: ToolCall,
    entry: ToolEntry,
    beforeRepeat: () => Promise<unknown> | undefined,
  ): Promise<CallResult | MakeOnce | undefined> {
    const key = keyOf(call);
    if (key === undefined) return undefined;
    const { tickets, clock, self } = this.#options;
    await this.#requireRoom(call.agent.id);
    const name = JSON.stringify([call.agent.id, key]);
    const fingerprint = fingerprintOf(call, entry);
    const deadline = clock.monotonic() + entry.connector.timeouts.totalMs + GRACE_MS;
    for (;;) {
      const kept: KeptCall = { fingerprint, callId: call.callId, by: self, state: 'running' };
      const ticket = {
        kind: KIND,
        name,
        value: JSON.stringify(kept),
        group: keptOfAgent(call.agent.id),
        expiresAt: clock.now() + KEEP_MS,
      };
      if (await tickets.add(ticket)) return (making) => this.#make(call, ticket, kept, making);
      const found = await tickets.find(KIND, name);
      if (found === undefined) {
        // Past its end and not swept yet, or freed a moment ago; then somebody else may have it by now.
        await tickets.sweep();
        continue;
      }
      const known = parseKept(found.value);
      if (known.fingerprint !== fingerprint)
        throw new HubError('conflict', 'This idempotency key was used for another call');
      // Whoever brings back what it was given goes on with it.
      if (known.state === 'open' && call.rounds?.state !== undefined) return undefined;
      if (known.state !== 'running') {
        await beforeRepeat();
        return this.#repeat(call, entry, known);
      }
      await this.#wait(name, known, deadline, call.options.signal);
    }
  }

  #make(
    call: ToolCall,
    ticket: Ticket,
    kept: KeptCall,
    making: (options: UpstreamOptions) => Promise<CallResult>,
  ): Promise<CallResult> {
    const made = this.#settle(ticket, kept, making(detached(call.options)));
    this.#running.set(
      ticket.name,
      made.catch(() => {}).finally(() => this.#running.delete(ticket.name)),
    );
    return made;
  }

  async #settle(ticket: Ticket, kept: KeptCall, made: Promise<CallResult>): Promise<CallResult> {
    const { tickets } = this.#options;
    const keep = (end: object) => tickets.put({ ...ticket, value: JSON.stringify({ ...kept, ...end }) });
    try {
      const result = await made;
      // Without it the next one is told that nobody knows what became of it, which is true of the answer.
      await keep(answered(result)).catch(() => {});
      return result;
    } catch (error) {
      const end = endOf(error);
      await (end === undefined ? tickets.remove(ticket.kind, ticket.name) : keep(end)).catch(() => {});
      throw error;
    }
  }

  #repeat({ agent, callId, exposedName }: ToolCall, { connector }: ToolEntry, known: KeptCall): CallResult {
    switch (known.state) {
      case 'answered':
        this.#options.events.append(
          { kind: 'agent', id: agent.id },
          { type: 'call.repeated', callId, of: toCallId(known.callId), connector: connector.id, exposedName },
        );
        return parseJson(known.result, TOLERANT_JSON) as CallResult;
      case 'failed': {
        const { code, message, details, outcomeUnknown } = known;
        throw new HubError(code, message, { outcomeUnknown, details: { ...details, callId: known.callId } });
      }
      default:
        throw new HubError(
          'conflict',
          'The call with this idempotency key waits for an answer, or goes on as a task',
        );
    }
  }

  /** Until there may be an answer. Throws where there will be none. */
  async #wait(
    name: string,
    { by, callId }: KeptCall,
    deadline: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { tickets, self, isAlive, clock } = this.#options;
    const running = this.#running.get(name);
    const isBeingMade = by === self ? running !== undefined : await isAlive(by);
    if (!isBeingMade || clock.monotonic() > deadline) {
      // Whoever made it may have written its answer down since it was looked for, and ended.
      const found = await tickets.find(KIND, name);
      const now = found && parseKept(found.value);
      if (now?.state !== 'running' || now.callId !== callId) return;
      throw new HubError('upstream_closed', 'The call with this idempotency key was interrupted', {
        outcomeUnknown: true,
      });
    }
    if (signal?.aborted === true) throw new HubError('cancelled', 'the call was cancelled');
    const pause = sleep(LOOK_MS, undefined, { ref: false });
    await (running === undefined ? pause : Promise.race([running, pause]));
  }

  async #requireRoom(agent: AgentId): Promise<void> {
    const added = this.#added.get(agent) ?? 0;
    this.#added.set(agent, (added + 1) % ADDED_PER_COUNT);
    if (added !== 0) return;
    const { tickets } = this.#options;
    const [own, all] = await Promise.all([tickets.count(KIND, keptOfAgent(agent)), tickets.count(KIND)]);
    if (own < MOST_OF_AGENT && all < MOST_KEPT) return;
    this.#added.delete(agent);
    throw new HubError('overloaded', 'Too many calls with idempotency keys are remembered');
  }
}

function keyOf({ options: { meta } }: ToolCall): string | undefined {
  const key = meta?.[KEY];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || key === '' || key.length > MAX_KEY)
    throw new HubError('invalid_request', `_meta ${KEY} must be text of 1 to ${MAX_KEY} characters`);
  return key;
}

function fingerprintOf({ args }: ToolCall, { connector, tool }: ToolEntry): string {
  const call = [connector.id, tool.name, args ?? {}];
  return createHash('sha256').update(stringifyJson(call)).digest('hex');
}

/** Without the way to give up: whoever went away comes again for the answer. */
function detached({ signal: _, onAbort: __, ...options }: UpstreamOptions): UpstreamOptions {
  return options;
}
