import type { JsonObject } from '../jsonrpc/index.js';
import { headerMismatch } from './errors.js';

export const HEADER_REVISION = 'mcp-protocol-version';
export const HEADER_METHOD = 'mcp-method';
export const HEADER_NAME = 'mcp-name';
export const HEADER_SESSION = 'mcp-session-id';
export const HEADER_PARAM_PREFIX = 'mcp-param-';

const OPEN = '=?base64?';
const CLOSE = '?=';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** Visible ASCII, with blanks and tabs only inside. */
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/;

/** A value as it may stand in a header; what a header cannot carry goes as marked Base64. */
export function encodeHeaderValue(value: string): string {
  if (PLAIN.test(value) && !isMarked(value)) return value;
  return `${OPEN}${Buffer.from(value, 'utf8').toString('base64')}${CLOSE}`;
}

/** Throws a header mismatch when a marked value is not clean Base64 of UTF-8. */
export function decodeHeaderValue(raw: string): string {
  const value = raw.trim();
  if (!isMarked(value)) return value;
  const payload = value.slice(OPEN.length, -CLOSE.length);
  if (!BASE64.test(payload)) throw headerMismatch('a header value is not valid Base64');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(payload, 'base64'));
  } catch {
    throw headerMismatch('a header value is not valid UTF-8');
  }
}

function isMarked(value: string): boolean {
  return value.length >= OPEN.length + CLOSE.length && value.startsWith(OPEN) && value.endsWith(CLOSE);
}

/** The member of `params` that `Mcp-Name` repeats, for the methods that have one. */
export function nameMember(method: string): 'name' | 'uri' | 'taskId' | undefined {
  switch (method) {
    case 'tools/call':
    case 'prompts/get':
      return 'name';
    case 'resources/read':
      return 'uri';
    case 'tasks/get':
    case 'tasks/update':
    case 'tasks/cancel':
      return 'taskId';
    default:
      return undefined;
  }
}

/** The routing headers of a modern request, derived from its final body. */
export function routingHeaders(revision: string, method: string, params: JsonObject | undefined): Record<string, string> {
  const headers: Record<string, string> = { [HEADER_REVISION]: revision, [HEADER_METHOD]: method };
  const member = nameMember(method);
  const name = member === undefined ? undefined : params?.[member];
  if (typeof name === 'string') headers[HEADER_NAME] = encodeHeaderValue(name);
  return headers;
}
