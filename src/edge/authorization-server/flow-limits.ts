import type { IncomingMessage } from 'node:http';
import { HubError, type Clock, type TicketStore } from '../../kernel/index.js';
import { AttemptWindow } from '../../operations/index.js';
import { FORWARDED_FOR, type ClientNetworkOf } from '../client-network.js';
import { ticketKind } from './ticket-adapter.js';

export interface FlowLimitsOptions {
  readonly tickets: Pick<TicketStore, 'count' | 'sweep'>;
  readonly clientNetworkOf: ClientNetworkOf;
  readonly clock: Clock;
}

/** What anybody may have the hub do for a sign-in, before it is known who asks. */
export interface FlowLimits {
  /** Throws `rate_limited`. Before anything is written down for it. */
  requireBegin(request: IncomingMessage): Promise<void>;
  /** Whether somebody else's server may be asked on behalf of this request. */
  mayFetch(request: IncomingMessage): boolean;
}

/** Many people may share an address. */
const BEGUN = { limit: 600, windowMs: 5 * 60_000 };
const FETCHED = { limit: 120, windowMs: 5 * 60_000 };
/** Altogether. Each is kept for ten minutes. */
const MOST_KEPT = 10_000;

export function createFlowLimits({ tickets, clientNetworkOf, clock }: FlowLimitsOptions): FlowLimits {
  const begun = new AttemptWindow(BEGUN);
  const fetched = new AttemptWindow(FETCHED);
  const networkOf = ({ socket, headers }: IncomingMessage): string =>
    clientNetworkOf(socket.remoteAddress, headers[FORWARDED_FOR]);

  async function hasRoom(): Promise<boolean> {
    const kind = ticketKind('Interaction');
    if ((await tickets.count(kind)) < MOST_KEPT) return true;
    await tickets.sweep();
    return (await tickets.count(kind)) < MOST_KEPT;
  }

  return {
    async requireBegin(request) {
      const network = networkOf(request);
      if (begun.note(network, clock.monotonic()) && (await hasRoom())) return;
      throw new HubError('rate_limited', 'too many sign-ins were begun: wait before trying again', {
        retryAfterMs: Math.max(1_000, begun.blockedFor(network, clock.monotonic())),
      });
    },
    mayFetch: (request) => fetched.note(networkOf(request), clock.monotonic()),
  };
}
