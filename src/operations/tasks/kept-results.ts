import type { AgentId, Logger, TaskRecord, TicketStore } from '../../kernel/index.js';
import { parseJson, stringifyJson, TOLERANT_JSON } from '../../mcp/jsonrpc/index.js';
import type { TaskState } from '../../mcp/model/index.js';
import { keptOfAgent } from '../kept-of-agent.js';

const KIND = 'task-result';
/** What is longer is known as long as this process lives, or its upstream keeps it. */
const MOST_BYTES = 256 * 1024;
const MOST_OF_AGENT = 64;
const MOST_KEPT = 1_000;

export interface KeptResultsParts {
  readonly tickets: Pick<TicketStore, 'put' | 'find' | 'remove' | 'count' | 'sweep'>;
  readonly logger: Logger;
}

/** How tasks ended, sealed, for the time they stay known: their upstream may be gone by then, and so may this process. */
export class KeptResults {
  readonly #parts: KeptResultsParts;

  constructor(parts: KeptResultsParts) {
    this.#parts = parts;
  }

  /** Where it cannot be kept the task has ended all the same. */
  async keep({ id, agent, expiresAt }: TaskRecord, state: TaskState): Promise<void> {
    const { tickets, logger } = this.#parts;
    if (state.status !== 'completed' && state.status !== 'failed') return;
    const value = stringifyJson(state);
    if (Buffer.byteLength(value) > MOST_BYTES) return;
    try {
      if (!(await this.#hasRoom(agent))) return;
      await tickets.put({ kind: KIND, name: id, value, group: keptOfAgent(agent), expiresAt });
    } catch (error) {
      const message = error instanceof Error ? error.message : '';
      logger.warn({ error: message }, 'the result of a task could not be kept');
    }
  }

  async find({ id, finished }: TaskRecord): Promise<TaskState | undefined> {
    const found = finished ? await this.#parts.tickets.find(KIND, id) : undefined;
    // Sealed since it was written here.
    return found && (parseJson(found.value, TOLERANT_JSON) as object as TaskState);
  }

  async remove(id: string): Promise<void> {
    await this.#parts.tickets.remove(KIND, id).catch(() => {});
  }

  async #hasRoom(agent: AgentId): Promise<boolean> {
    if (!(await this.#isFull(agent))) return true;
    // What is past its end counts until it is swept.
    return (await this.#parts.tickets.sweep()) > 0 && !(await this.#isFull(agent));
  }

  async #isFull(agent: AgentId): Promise<boolean> {
    const { tickets } = this.#parts;
    const [own, all] = await Promise.all([tickets.count(KIND, keptOfAgent(agent)), tickets.count(KIND)]);
    return own >= MOST_OF_AGENT || all >= MOST_KEPT;
  }
}
