import { createHash } from 'node:crypto';
import { tagsOfTool, type Connector } from '../connectors/index.js';
import type { PolicyEngine } from '../governance/index.js';
import { HubError, isHubError, type AgentId, type Clock, type SharedStore } from '../kernel/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';
import type { AgentRequest } from './agent-request.js';
import type { Rounds } from './suspended.js';

export interface FlowBookOptions {
  readonly policy: Pick<PolicyEngine, 'looksBack'>;
  readonly store: Pick<SharedStore, 'get' | 'add' | 'replace' | 'delete'>;
  readonly clock: Pick<Clock, 'now'>;
}

type Asker = Pick<AgentRequest, 'session'> & {
  readonly agent: { readonly id: AgentId };
  readonly rounds?: Pick<Rounds, 'state'> | undefined;
};

/** A tool; without one, something else that a connector offers. */
interface Used {
  readonly connector: Connector;
  readonly tool?: { readonly name: string };
}

interface Conversation {
  readonly key: string;
  /** One without a session ends when it is not used for a while. Others end with their session. */
  readonly idleMs: number | undefined;
}

/** Sorted, so that the same tags are the same text. */
interface Trail {
  readonly since: number;
  readonly tags: readonly string[];
}

const IDLE_MS = 30 * 60_000;
/** No session is older. */
const LONGEST_MS = 24 * 3_600_000;
/** Whoever comes too late finds more tags there than before, and there are only so many. */
const MOST_TRIES = 100;

/**
 * The tags of what was used in each conversation, for policies that look back. A conversation is the session of a client,
 * and for clients without one all that their agent does. Nothing is kept, and nobody waits, while no policy looks back.
 */
export class FlowBook {
  readonly #options: FlowBookOptions;

  constructor(options: FlowBookOptions) {
    this.#options = options;
  }

  /** Undefined while no policy looks back. What continues a call is decided with what had been used when it began. */
  seenBy(asker: Asker): readonly string[] | Promise<readonly string[]> | undefined {
    if (!this.#options.policy.looksBack) return undefined;
    return broughtBy(asker) ?? reaching(() => this.#find(conversationOf(asker)));
  }

  /** Before anything of it can reach the conversation. `seen` is what is known to be there. */
  note(asker: Asker, { connector, tool }: Used, seen: readonly string[] = []): Promise<void> | undefined {
    if (!this.#options.policy.looksBack) return undefined;
    const tags = tool === undefined ? connector.tags : tagsOfTool(connector, tool.name);
    if (hasAll(seen, tags)) return undefined;
    return reaching(() => this.#add(conversationOf(asker), tags));
  }

  /** When a session is over everywhere. */
  sessionEnded(agent: AgentId, session: string): void {
    if (!this.#options.policy.looksBack) return;
    const { key } = conversationOf({ agent: { id: agent }, session });
    // What stays is forgotten after a day.
    this.#options.store.delete(key).catch(() => {});
  }

  async #find({ key, idleMs }: Conversation): Promise<readonly string[]> {
    return this.#parse(await this.#options.store.get(key, idleMs))?.tags ?? [];
  }

  async #add({ key, idleMs }: Conversation, tags: readonly string[]): Promise<void> {
    const { store, clock } = this.#options;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const text = await store.get(key, idleMs);
      const before = this.#parse(text) ?? { since: clock.now(), tags: [] };
      if (hasAll(before.tags, tags)) return;
      const after = JSON.stringify({ ...before, tags: [...new Set([...before.tags, ...tags])].toSorted() });
      const ttlMs = idleMs ?? LONGEST_MS;
      const isWritten =
        text === undefined ? store.add(key, after, ttlMs) : store.replace(key, text, after, ttlMs);
      if (await isWritten) return;
    }
    throw new HubError('storage_unavailable', 'what a conversation uses could not be written down');
  }

  /** We wrote it, so its shape is ours. Undefined where it is too old to count. */
  #parse(text: string | undefined): Trail | undefined {
    if (text === undefined) return undefined;
    const trail = JSON.parse(text) as Trail;
    return this.#options.clock.now() - trail.since < LONGEST_MS ? trail : undefined;
  }
}

/** What comes back with the answers to a call that was begun with it. */
export function keptSeen(seen: readonly string[] | undefined): JsonObject {
  return seen === undefined ? {} : { seen };
}

/** The state was sealed here, so its shape is ours. */
function broughtBy({ rounds }: Asker): readonly string[] | undefined {
  return rounds?.state?.['seen'] as readonly string[] | undefined;
}

/** By agent first: nobody comes into a conversation by its name. Names of sessions are nobody's business but their client's. */
function conversationOf({ agent: { id }, session }: Asker): Conversation {
  const name = session === undefined ? id : `${id}\n${session}`;
  const key = `flow:${createHash('sha256').update(name).digest('base64url')}`;
  return { key, idleMs: session === undefined ? IDLE_MS : undefined };
}

function hasAll(tags: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((tag) => tags.includes(tag));
}

async function reaching<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isHubError(error, 'storage_unavailable')) throw error;
    const why = 'A policy asks what this conversation has used before, and nobody can tell at the moment';
    throw new HubError('storage_unavailable', why, { cause: error });
  }
}
