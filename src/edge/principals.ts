import type { Agent } from '../agents/index.js';
import type { AuthenticationRefusal } from '../mcp/server/index.js';

/** A principal is an agent together with the scopes it came with. */
export class Principals {
  /** The newest object of each is what a request was authenticated as. */
  readonly #agents = new Map<string, Agent>();

  remember(found: Agent | AuthenticationRefusal | undefined): string | AuthenticationRefusal | undefined {
    if (found === undefined || 'status' in found) return found;
    const principal = found.scopes === undefined ? found.id : `${found.id} ${found.scopes.join(' ')}`;
    this.#agents.set(principal, found);
    return principal;
  }

  agentOf(principal: string): Agent {
    return this.#agents.get(principal) as Agent;
  }
}
