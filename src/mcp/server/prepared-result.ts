import { writeResult, type JsonObject, type RequestId } from '../jsonrpc/index.js';
import { PreparedResult } from './handler.js';

/** Wraps a result that is sent unchanged to many clients: it is serialised once for each wire form. */
export function prepareResult(result: JsonObject): PreparedResult {
  return new PreparedResult(result);
}

/** Forms are few: revisions, and the servers a result is shared between. More means that a key is not stable. */
const MAX_FORMS = 32;
/** From this length on, text is kept as the bytes it becomes: to join it with an id would copy it again and again. */
const LONG = 64 * 1024;

/** The answer with a long result, which is sent as it is: only what stands around it is made anew. */
export class LongAnswer {
  readonly head: string;
  /** Bytes are shared and must not be changed. */
  readonly result: string | Uint8Array;
  readonly tail = '}';

  constructor(id: RequestId, result: string | Uint8Array) {
    this.head = writeResult(id, '').slice(0, -1);
    this.result = result;
  }

  toString(): string {
    if (typeof this.result === 'string') return this.head + this.result + this.tail;
    const { buffer, byteOffset, length } = this.result;
    return this.head + Buffer.from(buffer, byteOffset, length).toString() + this.tail;
  }
}

/** The answer with a result that is JSON text already. */
export function writeAnswer(id: RequestId, result: string): string | LongAnswer {
  return result.length < LONG ? writeResult(id, result) : new LongAnswer(id, result);
}

/** The answer with a prepared result in one wire form. */
export function writePrepared(
  id: RequestId,
  prepared: PreparedResult,
  form: string,
  write: (result: JsonObject) => string,
): string | LongAnswer {
  let kept = prepared.texts.get(form);
  if (kept === undefined) {
    if (prepared.texts.size >= MAX_FORMS) prepared.texts.clear();
    const text = write(prepared.result);
    kept = text.length < LONG ? text : Buffer.from(text);
    prepared.texts.set(form, kept);
  }
  return typeof kept === 'string' ? writeResult(id, kept) : new LongAnswer(id, kept);
}
