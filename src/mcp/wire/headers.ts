import type { JsonObject } from '../jsonrpc/index.js';
import { headerMismatch } from './errors.js';

export const HEADER_REVISION = 'mcp-protocol-version';
export const HEADER_METHOD = 'mcp-method';
export const HEADER_NAME = 'mcp-name';
export const HEADER_SESSION = 'mcp-session-id';
export const HEADER_PARAM_PREFIX = 'mcp-param-';

const OPEN = '=?base64?';
const CLOSE = '?=';
/** Visible ASCII, with blanks and tabs only inside. */
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/;

/** A value as it may stand in a header; what a header cannot carry goes as marked Base64. */
export function encodeHeaderValue(value: string): string {
  // A shared `?` counts as both markers to some decoders, so a value that looks so to anyone is encoded.
  const looksMarked = value.startsWith(OPEN) && value.endsWith(CLOSE);
  if (PLAIN.test(value) && !looksMarked) return value;
  return `${OPEN}${Buffer.from(value, 'utf8').toString('base64')}${CLOSE}`;
}

/** Throws a header mismatch when a marked value is not clean Base64 of UTF-8. */
export function decodeHeaderValue(raw: string): string {
  const value = stripBlanks(raw);
  const marked =
    value.length >= OPEN.length + CLOSE.length && value.startsWith(OPEN) && value.endsWith(CLOSE);
  if (!marked) return value;
  const payload = value.slice(OPEN.length, -CLOSE.length);
  const bytes = Buffer.from(payload, 'base64');
  // Node skips what is not Base64; only a payload in its one proper spelling survives the way back.
  if (bytes.toString('base64') !== payload) throw headerMismatch('a header value is not valid Base64');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw headerMismatch('a header value is not valid UTF-8');
  }
}

/**
 * Without the blanks and tabs that HTTP allows around a value (RFC 9110, section 5.6.3). `trim` would take more, and
 * a regular expression is quadratic on blanks inside.
 */
export function stripBlanks(value: string): string {
  let start = 0;
  let end = value.length;
  while (isBlank(value.charCodeAt(start))) start++;
  while (end > start && isBlank(value.charCodeAt(end - 1))) end--;
  return value.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
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
export function routingHeaders(
  revision: string,
  method: string,
  params: JsonObject | undefined,
): Record<string, string> {
  const headers: Record<string, string> = { [HEADER_REVISION]: revision, [HEADER_METHOD]: method };
  const member = nameMember(method);
  const name = member === undefined ? undefined : params?.[member];
  if (typeof name === 'string') headers[HEADER_NAME] = encodeHeaderValue(name);
  return headers;
}
