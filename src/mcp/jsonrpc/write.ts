import type { ErrorObject } from './errors.js';
import type { JsonObject } from './json.js';
import { keptText, stringifyJson } from './json-number.js';
import type { RequestId } from './messages.js';

/** Serialised messages. Built by concatenation: an envelope object per message would be allocated only to be dropped. */

/** `member` is the text of one that the params get besides their own. */
export function writeRequest(id: RequestId, method: string, params?: JsonObject, member?: string): string {
  const head = `{"jsonrpc":"2.0","id":${writeId(id)},"method":${JSON.stringify(method)}`;
  if (member !== undefined) return `${head},"params":${withMember(params, member)}}`;
  return params === undefined ? `${head}}` : `${head},"params":${writeParams(params)}}`;
}

function withMember(params: JsonObject | undefined, member: string): string {
  const text = params === undefined ? '{}' : writeParams(params);
  return text === '{}' ? `{${member}}` : `${text.slice(0, -1)},${member}}`;
}

/** Arguments that were written before are not written again. */
function writeParams(params: JsonObject): string {
  const text = keptText(params['arguments']);
  if (text === undefined) return stringifyJson(params);
  const { arguments: _, ...rest } = params;
  const others = stringifyJson(rest).slice(1);
  return `{"arguments":${text}${others === '}' ? '' : ','}${others}`;
}

export function writeNotification(method: string, params?: JsonObject): string {
  const head = `{"jsonrpc":"2.0","method":${JSON.stringify(method)}`;
  return params === undefined ? `${head}}` : `${head},"params":${stringifyJson(params)}}`;
}

/** `result` is JSON text already. */
export function writeResult(id: RequestId, result: string): string {
  return `{"jsonrpc":"2.0","id":${writeId(id)},"result":${result}}`;
}

/** `null` and absent ids are both in use for unreadable requests; the caller's era decides which. */
export function writeError(id: RequestId | null | undefined, error: ErrorObject): string {
  const shownId = id === undefined ? '' : `"id":${id === null ? 'null' : writeId(id)},`;
  return `{"jsonrpc":"2.0",${shownId}"error":${stringifyJson(error)}}`;
}

function writeId(id: RequestId): string {
  return typeof id === 'number' ? String(id) : JSON.stringify(id);
}
