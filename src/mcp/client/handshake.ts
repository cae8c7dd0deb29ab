import { isObject, type JsonObject } from '../jsonrpc/index.js';
import { isLegacyRevision, NEWEST_LEGACY, type LegacyRevision } from '../wire/index.js';
import { ClientError, invalidResponse } from './client-error.js';
import type { Connection } from './connection.js';
import { legacyPeer } from './peer.js';
import type { Settings } from './settings.js';
import { withLimit } from './with-limit.js';

/** How long the first call waits for the stream; not every server answers before it has something to say there. */
const SERVER_STREAM_MS = 500;

/** The status of an answer that shows an endpoint without this transport. */
export interface InitializeFailure {
  readonly error: Error;
  readonly status: number | undefined;
}

/**
 * The legacy handshake. Also run again on a connection whose session was lost: the transport forgets the old session
 * with this request and takes the new one from its answer.
 */
export async function initialize(
  connection: Connection,
  settings: Settings,
  pinned: LegacyRevision | undefined,
  signal: AbortSignal | undefined,
  onFailure?: (failure: InitializeFailure) => void,
): Promise<void> {
  const { timeouts, capabilities, info } = settings;
  const params = {
    protocolVersion: pinned ?? NEWEST_LEGACY,
    capabilities,
    clientInfo: info,
  } as unknown as JsonObject;
  const { call, answer } = connection.ask('initialize', params, { timeoutMs: timeouts.requestMs, signal });
  const result = await answer.catch((error: Error) => {
    onFailure?.({ error, status: statusOf(error) ?? call.status });
    throw error;
  });
  if (!isObject(result)) throw invalidResponse('the result of initialize must be an object');
  const revision = result['protocolVersion'];
  if (!isLegacyRevision(revision) || (pinned !== undefined && revision !== pinned)) {
    const supported = typeof revision === 'string' ? [revision.slice(0, 64)] : [];
    throw new ClientError('incompatible_version', 'the server chose a protocol version that cannot be used', {
      supported,
    });
  }
  connection.settle(legacyPeer(revision, result));
  // Sent with or without a session, and accepted before anything else leaves.
  await connection.notify('notifications/initialized', undefined, signal);
  const opening = connection.transport.openServerStream();
  if (opening !== undefined && canBeAsked(settings)) await untilOpen(opening, settings, signal);
}

/** Some servers ask on their standing stream only, and drop what they ask before there is one: the call then hangs. */
async function untilOpen(
  opening: Promise<boolean>,
  { clock, standingStream }: Settings,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (standingStream.isLate) return;
  try {
    await withLimit(clock, SERVER_STREAM_MS, 'the server stream', signal, () => opening);
  } catch (error) {
    if (!(error instanceof ClientError && error.code === 'timeout')) throw error;
    standingStream.isLate = true;
    // One that was only slow is waited for the next time.
    void opening.then((isOpen) => {
      if (isOpen) standingStream.isLate = false;
    });
  }
}

function canBeAsked({ capabilities: { elicitation, sampling, roots } }: Settings): boolean {
  return elicitation !== undefined || sampling !== undefined || roots !== undefined;
}

function statusOf(error: Error): number | undefined {
  return 'status' in error && typeof error.status === 'number' ? error.status : undefined;
}
