import { HubError } from '../kernel/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';

const DEFAULT_SIZE = 100;
const MAX_SIZE = 1_000;

/**
 * One page of a list. The cursor names the last item seen, so that a list that changes in between neither repeats nor
 * loses what was there all along.
 */
export function pageOf(items: readonly object[], member: string, params: JsonObject): JsonObject {
  const size = sizeOf(params['limit']);
  const start = startOf(items, params['cursor']);
  const page = items.slice(start, start + size);
  const more = start + size < items.length;
  return { [member]: page as never, ...(more && { nextCursor: toCursor(page.at(-1)) }) };
}

function sizeOf(limit: unknown): number {
  if (limit === undefined) return DEFAULT_SIZE;
  if (!Number.isInteger(limit) || Number(limit) < 1)
    throw new HubError('invalid_request', 'limit must be a positive integer');
  return Math.min(Number(limit), MAX_SIZE);
}

function startOf(items: readonly object[], cursor: unknown): number {
  if (cursor === undefined) return 0;
  const after = typeof cursor === 'string' ? findLast(items, cursor) : -1;
  if (after === -1) throw new HubError('invalid_cursor', 'Unknown cursor');
  return after + 1;
}

/** By its name, because writing a cursor for each of thousands takes long; only the one spelling of a cursor counts. */
function findLast(items: readonly object[], cursor: string): number {
  const name = Buffer.from(cursor, 'base64url').toString();
  return items.findIndex((item) => nameOf(item) === name && toCursor(item) === cursor);
}

function toCursor(item: object | undefined): string {
  return Buffer.from(nameOf(item ?? {})).toString('base64url');
}

function nameOf(item: object): string {
  const { name, uri, uriTemplate } = item as { name?: string; uri?: string; uriTemplate?: string };
  return uriTemplate ?? uri ?? name ?? '';
}
