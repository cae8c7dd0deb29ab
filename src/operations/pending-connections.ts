import type { AdminRole } from '../contract/index.js';
import type { BegunConnection, CredentialOwner } from '../credentials/index.js';
import {
  HubError,
  randomToken,
  type AgentId,
  type Clock,
  type ConnectorId,
  type TicketStore,
} from '../kernel/index.js';
import type { Actor } from '../governance/index.js';
import { AttemptWindow } from './attempt-window.js';

/** Who began to connect an account, and in which browser where there was one. Nobody else can finish it. */
export type Initiator =
  | {
      readonly kind: 'admin';
      readonly id: string;
      readonly role: AdminRole;
      readonly request?: string;
      readonly browser?: string;
    }
  | { readonly kind: 'agent'; readonly id: AgentId; readonly browser: string };

/** Where a person goes afterwards: a page of ours, or a program on the machine of whoever began. */
export type ReturnTarget =
  | { readonly kind: 'page'; readonly path: string | undefined }
  | { readonly kind: 'loopback'; readonly url: string };

export interface PendingConnection {
  readonly connector: ConnectorId;
  readonly owner: CredentialOwner;
  readonly account: string;
  readonly begun: BegunConnection;
  readonly by: Initiator;
  readonly returnTo: ReturnTarget;
}

/** An answer that waits for whoever began to take it. */
export interface AnsweredConnection {
  readonly pending: PendingConnection;
  /** As it came, as a query. */
  readonly response: string;
}

const PENDING = 'connection';
const ANSWERED = 'connection-answer';
const LIFE_MS = 10 * 60_000;
const ANSWERED_MS = 2 * 60_000;
const MOST = 1_000;
const MOST_OF_ONE = 100;
/** What we make ourselves. */
const NAME = /^[\w-]{16,128}$/;

/** Account connections that were begun and not answered yet. Each is handed out once. */
export class PendingConnections {
  readonly #tickets: TicketStore;
  readonly #clock: Clock;
  readonly #begun = new AttemptWindow({ limit: MOST_OF_ONE, windowMs: LIFE_MS });

  constructor({ tickets, clock }: { readonly tickets: TicketStore; readonly clock: Clock }) {
    this.#tickets = tickets;
    this.#clock = clock;
  }

  /** Throws `rate_limited` where too many are under way, of one principal or altogether. */
  async requireRoom(by: Initiator): Promise<void> {
    const source = `${by.kind} ${by.id}`;
    const now = this.#clock.monotonic();
    if (!this.#begun.note(source, now))
      throw new HubError('rate_limited', 'too many sign-ins were begun: finish one, or wait', {
        retryAfterMs: this.#begun.blockedFor(source, now),
      });
    if ((await this.#tickets.count(PENDING)) < MOST) return;
    await this.#tickets.sweep();
    if ((await this.#tickets.count(PENDING)) >= MOST)
      throw new HubError('rate_limited', 'too many sign-ins are under way: wait a while', {
        retryAfterMs: 60_000,
      });
  }

  async put(pending: PendingConnection): Promise<void> {
    const expiresAt = this.#clock.now() + LIFE_MS;
    const value = JSON.stringify(pending);
    await this.#tickets.put({ kind: PENDING, name: pending.begun.state, value, expiresAt });
  }

  async find(state: string): Promise<PendingConnection | undefined> {
    const ticket = NAME.test(state) ? await this.#tickets.find(PENDING, state) : undefined;
    return ticket === undefined ? undefined : (JSON.parse(ticket.value) as PendingConnection);
  }

  /** To exactly one caller. */
  async take(state: string): Promise<PendingConnection | undefined> {
    const ticket = NAME.test(state) ? await this.#tickets.take(PENDING, state) : undefined;
    return ticket === undefined ? undefined : (JSON.parse(ticket.value) as PendingConnection);
  }

  /** Keeps an answer; whoever shows the name that is returned, and began, may have it. */
  async keepAnswer(answered: AnsweredConnection): Promise<string> {
    const name = randomToken();
    const expiresAt = this.#clock.now() + ANSWERED_MS;
    await this.#tickets.put({ kind: ANSWERED, name, value: JSON.stringify(answered), expiresAt });
    return name;
  }

  async takeAnswer(name: string): Promise<AnsweredConnection | undefined> {
    const ticket = NAME.test(name) ? await this.#tickets.take(ANSWERED, name) : undefined;
    return ticket === undefined ? undefined : (JSON.parse(ticket.value) as AnsweredConnection);
  }
}

export function actorOf(by: Initiator): Actor {
  if (by.kind === 'agent') return { kind: 'agent', id: by.id };
  return { kind: 'admin', id: by.id, ...(by.request !== undefined && { request: by.request }) };
}
