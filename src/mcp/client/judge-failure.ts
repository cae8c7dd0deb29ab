import { INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, ProtocolError } from '../jsonrpc/index.js';
import { TransportError, type TransportErrorCode } from '../transports/index.js';
import { judgeProbe, type ProbeAnswer } from '../wire/index.js';
import type { Call } from './call.js';
import type { Connection } from './connection.js';
import type { ClientWarning } from './options.js';

/** The peer no longer knows our session; it did not look at the request. */
const SESSION_LOST = new Set<TransportErrorCode>(['MCP_SESSION_NOT_FOUND', 'HTTP_SESSION_REQUIRED']);
const ANSWER_LOST = new Set<TransportErrorCode>(['CONNECTION_CLOSED', 'SSE_STREAM_LOST']);
/** Codes without a meaning of their own, or about messages as such, under which servers also report unknown sessions. */
const VAGUE_CODES = new Set([-32000, -32001, INVALID_REQUEST]);

/**
 * Some servers answer 400 instead of 404 when they do not know a session. That is believed once: a new session is
 * started, and if the next request fares no better the answer meant something else.
 */
export function judgeLoss(
  connection: Connection,
  call: Call,
  error: Error,
): 'none' | 'suspected' | 'certain' {
  if (error instanceof TransportError) {
    if (SESSION_LOST.has(error.code)) return 'certain';
    return error.status === 400 && !connection.doubted ? 'suspected' : 'none';
  }
  const vague = error instanceof ProtocolError && VAGUE_CODES.has(error.code);
  return vague && call.status === 400 && !connection.doubted ? 'suspected' : 'none';
}

/** Whether the request went out and its answer was lost on its way. */
export function isAnswerLost(error: Error): boolean {
  return error instanceof TransportError && ANSWER_LOST.has(error.code);
}

export const OTHER_ERA: ClientWarning = {
  code: 'other_era',
  message: 'the server refuses what it understood before: it may speak the other era now',
};

/** Whether a server answered as one of the other era would, though it did not before: somebody put another one in its place. */
export function speaksOtherEra(connection: Connection, call: Call, error: Error): boolean {
  const refusal = toRefusal(call, error);
  // Some serve everything but streams of changes.
  if (refusal === undefined || call.listener !== undefined) return false;
  const { era } = judgeProbe(refusal);
  if (connection.peer.era === 'legacy')
    return refusal.kind === 'error' && (era === 'modern' || era === 'incompatible');
  return connection.proven && era === 'legacy' && isRequestFault(refusal.status) && !isModern(refusal);
}

/**
 * A modern server misses first what it wants to be told with each request, and says so as others say that params are wrong.
 * So a legacy one that says it with this status is asked for a sign of life: whoever finds params wrong there is modern.
 */
export async function lookForOtherEra(
  connection: Connection,
  call: Call,
  error: Error,
  ping: () => Promise<unknown>,
): Promise<void> {
  const isLegacy = connection.peer.era === 'legacy';
  if (!isLegacy || call.method === 'ping' || call.status !== 400 || !isAboutParams(error)) return;
  if (isAboutParams(await ping().catch((thrown: unknown) => thrown))) connection.warned(OTHER_ERA);
}

function isAboutParams(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === INVALID_PARAMS;
}

type Refusal = Extract<ProbeAnswer, { readonly kind: 'error' | 'status' }>;

function toRefusal(call: Call, error: Error): Refusal | undefined {
  if (error instanceof ProtocolError)
    return { kind: 'error', error: error.toErrorObject(), status: call.status };
  if (!(error instanceof TransportError) || error.status === undefined) return undefined;
  return { kind: 'status', status: error.status };
}

/** With such a status modern servers also refuse requests that they understood. */
function isModern(refusal: Refusal): boolean {
  if (refusal.kind === 'status') return false;
  const { code } = refusal.error;
  return code === INVALID_PARAMS || (code === METHOD_NOT_FOUND && refusal.status === 404);
}

function isRequestFault(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500;
}
