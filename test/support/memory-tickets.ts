import { systemClock, type Clock, type Ticket, type TicketStore } from '../../src/kernel/index.js';

/** Tickets in memory, for tests of what stands on them. */
export function createMemoryTickets(clock: Clock = systemClock): TicketStore {
  const tickets = new Map<string, Ticket>();
  const at = (kind: string, name: string): string => JSON.stringify([kind, name]);
  const live = (kind: string, name: string): Ticket | undefined => {
    const ticket = tickets.get(at(kind, name));
    return ticket === undefined || ticket.expiresAt <= clock.now() ? undefined : ticket;
  };
  const removeWhere = (matches: (ticket: Ticket) => boolean): number => {
    const gone = [...tickets].filter(([, ticket]) => matches(ticket));
    for (const [key] of gone) tickets.delete(key);
    return gone.length;
  };
  return {
    async put(ticket) {
      tickets.set(at(ticket.kind, ticket.name), ticket);
    },
    async add(ticket) {
      const key = at(ticket.kind, ticket.name);
      if (tickets.has(key)) return false;
      tickets.set(key, ticket);
      return true;
    },
    async find(kind, name) {
      return live(kind, name);
    },
    async take(kind, name) {
      const ticket = live(kind, name);
      tickets.delete(at(kind, name));
      return ticket;
    },
    async use(kind, name) {
      const ticket = live(kind, name);
      if (ticket === undefined || ticket.usedAt !== undefined) return false;
      tickets.set(at(kind, name), { ...ticket, usedAt: clock.now() });
      return true;
    },
    async remove(kind, name) {
      tickets.delete(at(kind, name));
    },
    async removeGroup(group) {
      removeWhere((ticket) => ticket.group === group);
    },
    async *each(kind) {
      yield* [...tickets.values()].filter((ticket) => ticket.kind === kind && ticket.expiresAt > clock.now());
    },
    async count(kind, group) {
      const isMeant = (ticket: Ticket): boolean =>
        ticket.kind === kind && (group === undefined || ticket.group === group);
      return [...tickets.values()].filter(isMeant).length;
    },
    async sweep() {
      return removeWhere(({ expiresAt }) => expiresAt <= clock.now());
    },
  };
}
