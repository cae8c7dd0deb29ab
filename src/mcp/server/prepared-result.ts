import type { JsonObject } from '../jsonrpc/index.js';
import { PreparedResult } from './handler.js';

/** Wraps a result that is sent unchanged to many clients: it is serialised once for each wire form. */
export function prepareResult(result: JsonObject): PreparedResult {
  return new PreparedResult(result);
}

/** Forms are few: revisions, and the servers a result is shared between. More means that a key is not stable. */
const MAX_FORMS = 32;

/** The text of a result in one wire form, kept if the result was prepared. */
export function textOf(
  result: JsonObject | PreparedResult,
  form: string,
  write: (result: JsonObject) => string,
): string {
  if (!(result instanceof PreparedResult)) return write(result);
  let text = result.texts.get(form);
  if (text === undefined) {
    if (result.texts.size >= MAX_FORMS) result.texts.clear();
    text = write(result.result);
    result.texts.set(form, text);
  }
  return text;
}
