import { parseJson, stringifyJson, TOLERANT_JSON } from '../mcp/jsonrpc/index.js';
import type { SessionRecord } from '../mcp/server/index.js';

/** Of a session, among all of an endpoint. Neither part can be mistaken for the other, whatever a principal is called. */
export function nameOf(principal: string, id: string): string {
  return `${principal.length}:${principal}:${id}`;
}

/** Without what its name says. */
export function writeRecord({ principal: _, id: __, ...record }: SessionRecord): string {
  return stringifyJson(record);
}

/** We wrote it, so its shape is ours. */
export function readRecord(text: string, of: Pick<SessionRecord, 'principal' | 'id'>): SessionRecord {
  const record = parseJson(text, TOLERANT_JSON) as unknown as Omit<SessionRecord, 'principal' | 'id'>;
  return { ...record, principal: of.principal, id: of.id };
}
