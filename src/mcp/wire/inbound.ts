import {
  INVALID_PARAMS,
  ProtocolError,
  type NotificationMessage,
  type RequestMessage,
} from '../jsonrpc/index.js';
import { headerMismatch, unsupportedRevision } from './errors.js';
import {
  decodeHeaderValue,
  HEADER_METHOD,
  HEADER_NAME,
  HEADER_REVISION,
  nameMember,
  stripBlanks,
} from './headers.js';
import {
  claimsModern,
  findEnvelope,
  META_CLIENT_CAPABILITIES,
  META_REVISION,
  readEnvelope,
  readRevision,
  type Envelope,
} from './meta.js';
import { isModernDate, isModernRevision, type Era } from './revisions.js';

type Headers = Readonly<Record<string, string | undefined>>;

/**
 * Decides once, from the body, which era a client's message belongs to. The version header never upgrades or
 * downgrades a request; where it contradicts the body this, or the check that follows, throws.
 */
export function classifyInbound(message: RequestMessage | NotificationMessage, headers: Headers): Era {
  if (message.kind === 'notification') return classifyNotification(message, headers);
  const headerIsModern = isModernDate(valueOf(headers, HEADER_REVISION));
  // The handshake is legacy by nature. Only a request that is modern in every other respect is answered as such.
  if (message.method === 'initialize' && !isModernDate(findEnvelope(message.params)?.revision)) {
    if (headerIsModern) throw headerMismatch('initialize does not exist in the version the header names');
    return 'legacy';
  }
  if (claimsModern(message.params)) return 'modern';
  if (!headerIsModern) return 'legacy';
  throw new ProtocolError(INVALID_PARAMS, `_meta needs ${META_REVISION} and ${META_CLIENT_CAPABILITIES}`);
}

/**
 * Header rules for notifications are undefined: none is required, but none may contradict the body. Without a claim
 * in the body the header is all there is to go by.
 */
function classifyNotification(message: NotificationMessage, headers: Headers): Era {
  const revision = valueOf(headers, HEADER_REVISION);
  const method = valueOf(headers, HEADER_METHOD);
  if (claimsModern(message.params)) {
    const claimed = readRevision(message.params);
    if (revision !== undefined && revision !== claimed) throw revisionMismatch();
  } else if (!isModernDate(revision)) {
    return 'legacy';
  }
  if (method !== undefined && method !== message.method) throw methodMismatch();
  return 'modern';
}

/** Checks that a modern request over HTTP is complete and that its headers say what its body says. */
export function checkModernRequest(message: RequestMessage, headers: Headers): Envelope {
  const envelope = readModernEnvelope(message, headers[HEADER_REVISION]);
  const method = valueOf(headers, HEADER_METHOD);
  if (method === undefined) throw headerMismatch('header Mcp-Method is missing');
  if (method !== message.method) throw methodMismatch();
  const member = nameMember(message.method);
  if (member !== undefined) checkName(member, message.params?.[member], headers[HEADER_NAME]);
  return envelope;
}

/** The part of the check that does not need routing headers: also for transports without any (pass the envelope's own version). */
export function readModernEnvelope(message: RequestMessage, headerRevision: string | undefined): Envelope {
  const envelope = readEnvelope(message.params);
  if (headerRevision === undefined) throw headerMismatch('header MCP-Protocol-Version is missing');
  if (stripBlanks(headerRevision) !== envelope.revision) throw revisionMismatch();
  if (!isModernRevision(envelope.revision)) throw unsupportedRevision(envelope.revision);
  return envelope;
}

function checkName(member: string, value: unknown, header: string | undefined): void {
  const named = header === undefined ? undefined : decodeHeaderValue(header);
  // A body without a proper name is refused for that by whoever reads its params.
  if (typeof value !== 'string') return;
  if (named === undefined) throw headerMismatch('header Mcp-Name is missing');
  if (named !== value) throw headerMismatch(`header Mcp-Name does not match params.${member}`);
}

function valueOf(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return value === undefined ? undefined : stripBlanks(value);
}

function revisionMismatch(): ProtocolError {
  return headerMismatch('header MCP-Protocol-Version does not match _meta');
}

function methodMismatch(): ProtocolError {
  return headerMismatch('header Mcp-Method does not match the method');
}
