import { ProtocolError } from '../jsonrpc/index.js';
import { TransportError, type Transport } from '../transports/index.js';
import {
  isLegacyRevision,
  isModernRevision,
  judgeProbe,
  NEWEST_MODERN,
  type Era,
  type ModernRevision,
  type Revision,
} from '../wire/index.js';
import { ClientError, toError } from './client-error.js';
import { Connection, type ConnectionHost } from './connection.js';
import { discover, type Discovery } from './discover.js';
import { initialize, type InitializeFailure } from './handshake.js';
import { modernPeer } from './peer.js';
import type { Settings } from './settings.js';

export interface EstablishParts {
  readonly settings: Settings;
  readonly host: ConnectionHost;
  readonly open: () => Transport;
  /** Whether `open` can be called again. */
  readonly renewable: boolean;
  /** The transport of the first HTTP revision, tried when the endpoint does not know the current one. */
  readonly fallback: (() => Transport) | undefined;
  readonly era: 'auto' | Era | Revision;
  readonly signal: AbortSignal | undefined;
}

/** Opens a connection in the right era. `known` is what an earlier connection found; it is checked by using it. */
export async function establish(parts: EstablishParts, known: Era | undefined): Promise<Connection> {
  const { era } = parts;
  if (era === 'legacy' || isLegacyRevision(era)) return await openLegacy(parts);
  if (era === 'auto' && known === 'legacy') {
    try {
      return await openLegacy(parts);
    } catch (error) {
      if (!parts.renewable || !speaksAgainstEra(toError(error))) throw error;
    }
  }
  return await openProbed(parts, known);
}

async function openLegacy(parts: EstablishParts): Promise<Connection> {
  return await handshake(parts, await openConnection(parts, parts.open));
}

async function openProbed(parts: EstablishParts, known: Era | undefined): Promise<Connection> {
  const { timeouts } = parts.settings;
  const connection = await openConnection(parts, parts.open);
  // Only a process may be silent for long without being at fault, and only if it was never known to answer.
  const mayBeSilent = !connection.transport.carriesHeaders && known !== 'modern' && allowsLegacy(parts.era);
  const found = await probe(parts, connection, mayBeSilent ? timeouts.probeMs : timeouts.requestMs);
  if (found === 'modern') return connection;
  if (!allowsLegacy(parts.era)) {
    return await abandon(
      connection,
      new ClientError('incompatible_version', 'the server does not speak the modern protocol'),
    );
  }
  if (connection.transport.carriesHeaders) return await handshake(parts, connection);
  if (!parts.renewable && connection.alive) return await handshake(parts, connection);
  if (!parts.renewable)
    return await abandon(connection, found.error ?? new ClientError('closed', 'the server ended'));
  // The first process has seen a message it does not know; the conversation starts with one that has not.
  await connection.close(new ClientError('closed', 'the probe is over'));
  return await handshakeAfterSilence(parts, found);
}

/** `modern` when the connection is ready for use, else the discovery that speaks for a legacy server. Throws else. */
async function probe(
  parts: EstablishParts,
  connection: Connection,
  timeoutMs: number,
): Promise<'modern' | Discovery> {
  const revision = isModernRevision(parts.era) ? parts.era : NEWEST_MODERN;
  const first = await discover(connection, parts.settings, revision, timeoutMs, parts.signal);
  const verdict = judge(first);
  switch (verdict.era) {
    case 'legacy':
      return first;
    case 'unknown':
      return await abandon(
        connection,
        first.error ?? new ClientError('invalid_response', 'the probe had no outcome'),
      );
    case 'incompatible':
      return await abandon(connection, incompatible(verdict.supported));
    case 'modern':
      if (first.result !== undefined) return settleModern(connection, first, verdict.revision);
      return await discoverAgain(parts, connection, verdict.revision);
  }
}

/** The server is modern but refused the first request: once more, with a version it named. Never a step back to legacy. */
async function discoverAgain(
  parts: EstablishParts,
  connection: Connection,
  revision: ModernRevision,
): Promise<'modern'> {
  const second = await discover(
    connection,
    parts.settings,
    revision,
    parts.settings.timeouts.requestMs,
    parts.signal,
  );
  const verdict = judge(second);
  if (verdict.era === 'modern' && second.result !== undefined)
    return settleModern(connection, second, verdict.revision);
  if (verdict.era === 'incompatible') return await abandon(connection, incompatible(verdict.supported));
  return await abandon(
    connection,
    second.error ?? new ClientError('invalid_response', 'server/discover gave no versions'),
  );
}

function judge(discovery: Discovery): ReturnType<typeof judgeProbe> {
  return discovery.answer === undefined ? { era: 'unknown' } : judgeProbe(discovery.answer);
}

function settleModern(connection: Connection, discovery: Discovery, revision: ModernRevision): 'modern' {
  connection.settle(modernPeer(revision, discovery.result ?? {}));
  return 'modern';
}

async function handshake(parts: EstablishParts, connection: Connection): Promise<Connection> {
  const pinned = isLegacyRevision(parts.era) ? parts.era : undefined;
  let failure: InitializeFailure | undefined;
  try {
    await initialize(connection, parts.settings, pinned, parts.signal, (seen) => {
      failure = seen;
    });
    return connection;
  } catch (error) {
    await connection.close(toError(error));
    const status = failure?.status;
    const unknownEndpoint = status === 400 || status === 404 || status === 405;
    if (parts.fallback === undefined || !unknownEndpoint) throw error;
    return await handshakeOverFallback(parts, parts.fallback, toError(error));
  }
}

/** When neither transport works, what the current one said is the better explanation. */
async function handshakeOverFallback(
  parts: EstablishParts,
  open: () => Transport,
  original: Error,
): Promise<Connection> {
  try {
    return await handshake({ ...parts, fallback: undefined }, await openConnection(parts, open));
  } catch {
    throw original;
  }
}

/** A modern server that starts slowly looks like a silent legacy one; it is asked again once it has refused the handshake. */
async function handshakeAfterSilence(parts: EstablishParts, found: Discovery): Promise<Connection> {
  try {
    return await openLegacy(parts);
  } catch (error) {
    if (found.answer?.kind !== 'silence' || !(error instanceof ProtocolError)) throw error;
    const connection = await openConnection(parts, parts.open);
    if ((await probe(parts, connection, parts.settings.timeouts.requestMs)) === 'modern') return connection;
    return await abandon(connection, error);
  }
}

async function openConnection(parts: EstablishParts, open: () => Transport): Promise<Connection> {
  const connection = new Connection(open(), parts.settings, parts.host);
  await connection.start(parts.signal);
  return connection;
}

async function abandon(connection: Connection, error: Error): Promise<never> {
  await connection.close(error);
  throw error;
}

function allowsLegacy(era: EstablishParts['era']): boolean {
  return era === 'auto' || era === 'legacy' || isLegacyRevision(era);
}

function incompatible(supported: readonly string[]): ClientError {
  return new ClientError('incompatible_version', 'the server speaks none of our protocol versions', {
    supported: supported.slice(0, 16).map((version) => version.slice(0, 64)),
  });
}

/** Whether a failed handshake says something about the server, rather than about the way to it. */
export function speaksAgainstEra(error: Error): boolean {
  if (error instanceof ProtocolError) return true;
  if (error instanceof ClientError)
    return error.code === 'incompatible_version' || error.code === 'invalid_response';
  if (!(error instanceof TransportError) || error.status === undefined) return false;
  return judgeProbe({ kind: 'status', status: error.status }).era !== 'unknown';
}
