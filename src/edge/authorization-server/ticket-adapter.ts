import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { Clock, TicketStore } from '../../kernel/index.js';

/** Tickets of the authorization server. */
export function ticketKind(model: string): string {
  return `oauth-server:${model}`;
}

export interface TicketAdapterOptions {
  readonly tickets: TicketStore;
  readonly clock: Clock;
  /** What to throw at whoever comes second with something that counts once. */
  readonly usedUp: () => Error;
}

/** A client that registered and was never allowed anything is forgotten. */
const UNUSED_CLIENT_MS = 24 * 60 * 60_000;

/** What the provider keeps, kept as tickets. All that belongs to one grant ends with it. */
export function createTicketAdapter(
  model: string,
  { tickets, clock, usedUp }: TicketAdapterOptions,
): Adapter {
  const kind = ticketKind(model);
  const uidKind = ticketKind(`${model}-uid`);

  async function find(id: string): Promise<AdapterPayload | undefined> {
    const ticket = await tickets.find(kind, id);
    if (ticket === undefined) return undefined;
    const payload = JSON.parse(ticket.value) as AdapterPayload;
    return ticket.usedAt === undefined ? payload : { ...payload, consumed: Math.floor(ticket.usedAt / 1000) };
  }

  return {
    async upsert(id, payload, expiresIn) {
      const lasts = expiresIn === undefined ? UNUSED_CLIENT_MS : expiresIn * 1000;
      const group = model === 'Grant' ? id : payload.grantId;
      const common = { expiresAt: clock.now() + lasts, ...(group !== undefined && { group }) };
      await tickets.put({ kind, name: id, value: JSON.stringify(payload), ...common });
      if (model === 'Session' && payload.uid !== undefined)
        await tickets.put({ kind: uidKind, name: payload.uid, value: JSON.stringify(id), ...common });
    },
    find,
    async findByUid(uid) {
      const ticket = await tickets.find(uidKind, uid);
      return ticket === undefined ? undefined : find(JSON.parse(ticket.value) as string);
    },
    findByUserCode: () => Promise.resolve(undefined),
    async consume(id) {
      // Two at once, in whatever process: one goes on.
      if (!(await tickets.use(kind, id))) throw usedUp();
    },
    destroy: (id) => tickets.remove(kind, id),
    revokeByGrantId: (grantId) => tickets.removeGroup(grantId),
  };
}
