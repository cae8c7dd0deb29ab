import {
  INTERNAL_ERROR,
  isObject,
  parseJson,
  TOLERANT_JSON,
  writeError,
  type RequestId,
} from '../../jsonrpc/index.js';
import type { StoredEvent } from './event-store.js';

/** Before the first message, so that no client is ever sent it. */
const PROMISE = 0;
/** Reads the promise, too. */
export const FROM_PROMISE = PROMISE - 1;

const LOST =
  'The process that worked on this request is gone. It may have been carried out; check before repeating it.';

/** Kept with a stream: which requests are answered on it. Another process learns from it what the client still waits for. */
export function promiseOf(stream: string, ids: readonly RequestId[]): StoredEvent {
  return { stream, seq: PROMISE, text: JSON.stringify(ids) };
}

/**
 * A stream whose process was killed, as its client is given it: what was said, and an error for each request that was not
 * answered. Their places follow from what was said, so whoever comes again, anywhere, is not told twice. Undefined where
 * every request was answered, or the promise is not kept any more.
 */
export function completeLost(kept: readonly StoredEvent[]): readonly StoredEvent[] | undefined {
  const [promise, ...said] = kept;
  if (promise?.seq !== PROMISE) return undefined;
  const { stream } = promise;
  const answered = new Set(said.map(({ text }) => answeredId(text)));
  const open = (JSON.parse(promise.text) as RequestId[]).filter((id) => !answered.has(id));
  if (open.length === 0) return undefined;
  const next = (said.at(-1)?.seq ?? PROMISE) + 1;
  const error = { code: INTERNAL_ERROR, message: LOST, data: { reason: 'outcome_unknown' } };
  return [...said, ...open.map((id, index) => ({ stream, seq: next + index, text: writeError(id, error) }))];
}

function answeredId(text: string): unknown {
  const message = parseJson(text, TOLERANT_JSON);
  return isObject(message) && message['method'] === undefined ? message['id'] : undefined;
}
