import type { IncomingMessage, ServerResponse } from 'node:http';
import { HubError, isHubError, type Clock, type TicketStore } from '../../kernel/index.js';
import { AttemptWindow } from '../../operations/index.js';
import { FORWARDED_FOR, type ClientNetworkOf } from '../client-network.js';
import { readClientMetadata, type ClientMetadata } from './client-metadata.js';
import { readBody, withBody } from './node-exchange.js';
import type { ProviderDoor } from './provider-door.js';
import { ticketKind } from './ticket-adapter.js';

export interface RegistrationOptions {
  readonly door: ProviderDoor;
  readonly tickets: Pick<TicketStore, 'count' | 'sweep'>;
  readonly maxClients: number;
  readonly clientNetworkOf: ClientNetworkOf;
  readonly clock: Clock;
}

const BODY_LIMITS = { maxBytes: 64 * 1024, timeoutMs: 10_000 };
const PER_NETWORK = { limit: 100, windowMs: 5 * 60_000 };
const HEADERS = {
  'access-control-allow-origin': '*',
  'cache-control': 'no-store',
  'content-type': 'application/json',
  'x-content-type-options': 'nosniff',
};

/** Lets clients register themselves (RFC 7591): checked, so many of one network, so many in all. */
export function createRegistration(options: RegistrationOptions) {
  const { door, tickets, maxClients, clientNetworkOf, clock } = options;
  const attempts = new AttemptWindow(PER_NETWORK);

  async function requireRoom(): Promise<void> {
    const kind = ticketKind('Client');
    if ((await tickets.count(kind)) < maxClients) return;
    await tickets.sweep();
    if ((await tickets.count(kind)) >= maxClients)
      throw new HubError('overloaded', 'too many clients have registered here');
  }

  async function readMetadata(request: IncomingMessage): Promise<ClientMetadata> {
    if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
      throw new HubError('unsupported_media_type', 'client metadata must be JSON');
    const text = (await readBody(request, BODY_LIMITS)).toString('utf8');
    let input: unknown;
    try {
      input = JSON.parse(text);
    } catch (error) {
      throw new HubError('invalid_request', 'client metadata must be JSON', { cause: error });
    }
    return readClientMetadata(input);
  }

  return async function register(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const network = clientNetworkOf(request.socket.remoteAddress, request.headers[FORWARDED_FOR]);
      if (!attempts.note(network, clock.monotonic()))
        throw new HubError('rate_limited', 'too many registrations from this address', {
          retryAfterMs: attempts.blockedFor(network, clock.monotonic()),
        });
      const metadata = await readMetadata(request);
      await requireRoom();
      response.setHeader('access-control-allow-origin', '*');
      await door.pass(withBody(request, JSON.stringify(metadata)), response);
    } catch (error) {
      refuse(response, error);
    }
  };
}

const STATUS = {
  invalid_request: 400,
  unsupported_media_type: 415,
  request_too_large: 413,
  rate_limited: 429,
  overloaded: 503,
} as const;

/** RFC 7591, section 3.2.2. */
function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) return;
  const known = isHubError(error) ? error : new HubError('internal', 'something went wrong in the hub');
  const status = known.code in STATUS ? STATUS[known.code as keyof typeof STATUS] : 500;
  const isRedirect = known.details?.['member'] === 'redirect_uris';
  const { retryAfterMs } = known;
  response.writeHead(status, {
    ...HEADERS,
    ...(retryAfterMs !== undefined && { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }),
    ...(status === 413 && { connection: 'close' }),
  });
  response.end(
    JSON.stringify({
      error:
        status === 400
          ? isRedirect
            ? 'invalid_redirect_uri'
            : 'invalid_client_metadata'
          : status === 429 || status === 503
            ? 'temporarily_unavailable'
            : 'invalid_request',
      error_description: known.code === 'internal' ? 'something went wrong in the hub' : known.message,
    }),
  );
}
