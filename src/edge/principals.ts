import type { Agent } from '../agents/index.js';
import type { AuthenticationRefusal } from '../mcp/server/index.js';

/** A principal is an agent together with the scopes it came with. */
export class Principals {
  /** The newest object of each is what a request was authenticated as. */
  readonly #agents = new Map<string, Agent>();
  readonly #watchers = new Map<string, Set<() => void>>();

  remember(found: Agent | AuthenticationRefusal | undefined): string | AuthenticationRefusal | undefined {
    if (found === undefined || 'status' in found) return found;
    const principal = found.scopes === undefined ? found.id : `${found.id} ${found.scopes.join(' ')}`;
    if (this.#agents.get(principal) === found) return principal;
    this.#agents.set(principal, found);
    for (const changed of this.#watchers.get(principal) ?? []) changed();
    return principal;
  }

  agentOf(principal: string): Agent {
    return this.#agents.get(principal) as Agent;
  }

  /** `changed` is called when the agent may be another than it was. Answers how to stop that. */
  watch(principal: string, changed: () => void): () => void {
    let watchers = this.#watchers.get(principal);
    if (watchers === undefined) this.#watchers.set(principal, (watchers = new Set()));
    watchers.add(changed);
    return () => {
      if (watchers.delete(changed) && watchers.size === 0) this.#watchers.delete(principal);
    };
  }
}
