import { createHash } from 'node:crypto';
import type { Authenticator } from '../agents/index.js';
import type { Actor, EventLog } from '../governance/index.js';
import { HubError, type AgentId, type Clock, type TicketStore } from '../kernel/index.js';
import { toActor, type AdminCaller } from './admin.js';

/** A client that may act as an agent, because somebody said so. */
export interface ApprovedClient {
  /** Short, safe in a path; clients' own ids may be long addresses. */
  readonly id: string;
  readonly clientId: string;
  readonly name: string;
  readonly agent: AgentId;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly approvedBy: string;
  readonly approvedAt: number;
}

export type ClientApproval = Omit<ApprovedClient, 'id' | 'approvedAt' | 'approvedBy'>;

export interface ClientApprovals {
  /** Anybody may register; what it was allowed is another matter. */
  noteRegistered(client: { readonly clientId: string; readonly name: string }): void;
  find(agent: AgentId, clientId: string): Promise<ApprovedClient | undefined>;
  approve(approval: ClientApproval, by: Actor): Promise<void>;
  list(): Promise<readonly ApprovedClient[]>;
  /** Its tokens end at once. Throws `not_found`. */
  revoke(request: { readonly by: AdminCaller; readonly id: string }): Promise<void>;
  /** Everything that acts as the agent has to ask again. */
  endAllOf(agent: AgentId): Promise<void>;
}

export interface ClientApprovalsDependencies {
  readonly tickets: TicketStore;
  readonly authenticator: Pick<Authenticator, 'forget'>;
  readonly events: Pick<EventLog, 'append'>;
  readonly clock: Clock;
}

/** Where the authorization server keeps its grants and clients. */
const GRANT_TICKETS = 'oauth-server:Grant';
const CLIENT_TICKETS = 'oauth-server:Client';
const APPROVAL_TICKETS = 'oauth-server:approval';
const LASTS_MS = 366 * 24 * 60 * 60_000;

export function createClientApprovals(deps: ClientApprovalsDependencies): ClientApprovals {
  return new TicketApprovals(deps);
}

class TicketApprovals implements ClientApprovals {
  readonly #deps: ClientApprovalsDependencies;

  constructor(deps: ClientApprovalsDependencies) {
    this.#deps = deps;
  }

  noteRegistered({ clientId, name }: { readonly clientId: string; readonly name: string }): void {
    this.#deps.events.append({ kind: 'hub' }, { type: 'client.registered', client: clientId, name });
  }

  async find(agent: AgentId, clientId: string): Promise<ApprovedClient | undefined> {
    const ticket = await this.#deps.tickets.find(APPROVAL_TICKETS, nameOf(agent, clientId));
    return ticket === undefined ? undefined : (JSON.parse(ticket.value) as ApprovedClient);
  }

  async approve(approval: ClientApproval, by: Actor): Promise<void> {
    const { tickets, events, clock } = this.#deps;
    const { agent, clientId, name, scopes } = approval;
    const approved: ApprovedClient = {
      ...approval,
      id: approvalId(agent, clientId),
      approvedBy: by.kind === 'hub' ? 'hub' : `${by.kind} ${by.id}`,
      approvedAt: clock.now(),
    };
    const expiresAt = clock.now() + LASTS_MS;
    await tickets.put({
      kind: APPROVAL_TICKETS,
      name: nameOf(agent, clientId),
      value: JSON.stringify(approved),
      expiresAt,
    });
    // A registration that is in use is kept.
    const client = await tickets.find(CLIENT_TICKETS, clientId);
    if (client !== undefined) await tickets.put({ ...client, expiresAt });
    events.append(by, { type: 'client.authorized', client: clientId, name, agent, scopes });
  }

  async list(): Promise<readonly ApprovedClient[]> {
    const found: ApprovedClient[] = [];
    for await (const { value } of this.#deps.tickets.each(APPROVAL_TICKETS))
      found.push(JSON.parse(value) as ApprovedClient);
    return found.sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  async revoke({ by, id }: { readonly by: AdminCaller; readonly id: string }): Promise<void> {
    const client = (await this.list()).find((one) => one.id === id);
    if (client === undefined) throw new HubError('not_found', 'there is no such client');
    await this.#end(client, toActor(by));
    this.#deps.authenticator.forget();
  }

  async endAllOf(agent: AgentId): Promise<void> {
    for (const client of await this.list())
      if (client.agent === agent) await this.#end(client, { kind: 'hub' });
    await this.#removeGrants(agent, undefined);
    this.#deps.authenticator.forget();
  }

  async #end({ agent, clientId, name }: ApprovedClient, by: Actor): Promise<void> {
    await this.#deps.tickets.remove(APPROVAL_TICKETS, nameOf(agent, clientId));
    await this.#removeGrants(agent, clientId);
    this.#deps.events.append(by, { type: 'client.revoked', client: clientId, name, agent });
  }

  async #removeGrants(agent: AgentId, clientId: string | undefined): Promise<void> {
    const { tickets } = this.#deps;
    for await (const { value, group } of tickets.each(GRANT_TICKETS)) {
      const grant = JSON.parse(value) as { readonly accountId?: string; readonly clientId?: string };
      const isMeant = grant.accountId === agent && (clientId ?? grant.clientId) === grant.clientId;
      if (isMeant && group !== undefined) await tickets.removeGroup(group);
    }
  }
}

function nameOf(agent: AgentId, clientId: string): string {
  return JSON.stringify([agent, clientId]);
}

function approvalId(agent: AgentId, clientId: string): string {
  return createHash('sha256').update(nameOf(agent, clientId)).digest('hex').slice(0, 16);
}
