import { INVALID_PARAMS, ProtocolError, type NotificationMessage, type RequestMessage } from '../jsonrpc/index.js';
import { headerMismatch, unsupportedRevision } from './errors.js';
import { decodeHeaderValue, HEADER_METHOD, HEADER_NAME, HEADER_REVISION, nameMember } from './headers.js';
import { claimsModern, META_CLIENT_CAPABILITIES, META_REVISION, readEnvelope, type Envelope } from './meta.js';
import { isModernRevision, type Era } from './revisions.js';

type Headers = Readonly<Record<string, string | undefined>>;

/**
 * Decides once, from the body, which era a client's message belongs to. The version header never upgrades or
 * downgrades a message; where it contradicts the body this throws.
 */
export function classifyInbound(message: RequestMessage | NotificationMessage, headers: Headers): Era {
  const headerIsModern = isModernRevision(headers[HEADER_REVISION]);
  if (claimsModern(message.params)) return 'modern';
  if (message.kind === 'notification') return headerIsModern ? 'modern' : 'legacy';
  if (!headerIsModern) return 'legacy';
  if (message.method === 'initialize') throw headerMismatch('initialize does not exist in the version the header names');
  throw new ProtocolError(INVALID_PARAMS, `_meta needs ${META_REVISION} and ${META_CLIENT_CAPABILITIES}`);
}

/** Checks that a modern request over HTTP is complete and that its headers say what its body says. */
export function checkModernRequest(message: RequestMessage, headers: Headers): Envelope {
  const envelope = readModernEnvelope(message, headers[HEADER_REVISION]);
  if (headers[HEADER_METHOD] === undefined) throw headerMismatch('header Mcp-Method is missing');
  if (headers[HEADER_METHOD].trim() !== message.method) throw headerMismatch('header Mcp-Method does not match the method');
  const member = nameMember(message.method);
  if (member !== undefined) checkName(member, message.params?.[member], headers[HEADER_NAME]);
  return envelope;
}

/** The part of the check that does not need routing headers: also for transports without any (pass the envelope's own version). */
export function readModernEnvelope(message: RequestMessage, headerRevision: string | undefined): Envelope {
  const envelope = readEnvelope(message.params);
  if (headerRevision === undefined) throw headerMismatch('header MCP-Protocol-Version is missing');
  if (headerRevision.trim() !== envelope.revision) throw headerMismatch('header MCP-Protocol-Version does not match _meta');
  if (!isModernRevision(envelope.revision)) throw unsupportedRevision(envelope.revision);
  return envelope;
}

function checkName(member: string, value: unknown, header: string | undefined): void {
  if (header === undefined) throw headerMismatch('header Mcp-Name is missing');
  if (decodeHeaderValue(header) !== value) throw headerMismatch(`header Mcp-Name does not match params.${member}`);
}
