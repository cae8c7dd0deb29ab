import type { Dispatcher } from 'undici';
import type { Connector } from '../connectors/index.js';
import { HubError } from '../kernel/index.js';
import { TransportError } from '../mcp/transports/index.js';
import { undici } from './undici.js';
import { toHubError } from './upstream-failure.js';

/**
 * Whether something alive answers at the connector's address. An MCP server may refuse a bare GET in many ways, and
 * each of them proves that it lives; only silence and server errors do not.
 */
export async function probeHttp(
  connector: Connector,
  url: string,
  dispatcher: Dispatcher,
  timeoutMs: number,
): Promise<void> {
  let status: number;
  try {
    const answer = await undici().request(url, {
      dispatcher,
      method: 'GET',
      headers: { accept: 'text/event-stream' },
      signal: AbortSignal.timeout(timeoutMs),
    });
    status = answer.statusCode;
    // A stream may have been opened; its head was all we wanted.
    answer.body.on('error', () => {}).destroy();
  } catch (error) {
    throw toHubError(toTransportError(error), connector);
  }
  if (status >= 500)
    throw new HubError('upstream_unavailable', `connector ${connector.id}: answered with HTTP ${status}`);
}

function toTransportError(error: unknown): TransportError {
  if (error instanceof TransportError) return error;
  if (error instanceof Error && error.cause instanceof TransportError) return error.cause;
  const isTimeout = error instanceof Error && error.name === 'TimeoutError';
  return isTimeout
    ? new TransportError('TIMEOUT_FIRST_BYTE', 'no answer in time', { cause: error })
    : new TransportError('CONNECT_FAILED', 'cannot be reached', { cause: error });
}
