import type { JsonObject } from '../jsonrpc/index.js';
import { metaOf } from './meta.js';

/** W3C Trace Context and Baggage, as they stand in `_meta`. */
export type TraceContext = Readonly<Partial<Record<'traceparent' | 'tracestate' | 'baggage', string>>>;

type Source = Readonly<Record<string, unknown>>;

/** Version, trace, parent, flags; later versions may append. */
const TRACEPARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-[\x21-\x7e]*)?$/;
const PRINTABLE = /^[\x20-\x7e\t]*$/;
const MOST_PARENT = 256;
/** What everybody has to pass on; whoever receives more may drop it. */
const MOST_STATE = 512;
const MOST_BAGGAGE = 8192;

/** What of a trace is well-formed there; undefined where nothing is. A state without its trace means nothing. */
export function readTrace(source: Source | undefined): TraceContext | undefined {
  if (source === undefined) return undefined;
  const { traceparent, tracestate, baggage } = source;
  if (traceparent === undefined && baggage === undefined) return undefined;
  const parent = isTraceparent(traceparent) ? traceparent : undefined;
  const state = parent !== undefined && isText(tracestate, MOST_STATE) ? tracestate : undefined;
  const bag = isText(baggage, MOST_BAGGAGE) ? baggage : undefined;
  if (parent === undefined && bag === undefined) return undefined;
  return {
    ...(parent !== undefined && { traceparent: parent }),
    ...(state !== undefined && { tracestate: state }),
    ...(bag !== undefined && { baggage: bag }),
  };
}

/**
 * The trace as HTTP headers. Baggage is not among them: it is about people and systems, and whatever stands in a header
 * is read and kept by every proxy and log on the way.
 */
export function traceHeaders(source: Source | undefined): Omit<TraceContext, 'baggage'> | undefined {
  const { baggage: _, ...trace } = readTrace(source) ?? {};
  return trace.traceparent === undefined ? undefined : trace;
}

/**
 * `params` with the trace that the request belongs to in `_meta`: that of `_meta` itself, else that of the headers. Baggage
 * in a header is not the client's word to a server, but of the network it is in, and ends here.
 */
export function continueTrace(params: JsonObject, headers: Source | undefined): JsonObject {
  const meta = metaOf(params);
  const inMeta = meta !== undefined && ('traceparent' in meta || 'tracestate' in meta || 'baggage' in meta);
  if (!inMeta && headers?.['traceparent'] === undefined) return params;
  const trace = readTrace(meta) ?? traceHeaders(headers);
  if (!inMeta && trace === undefined) return params;
  const { traceparent: _, tracestate: __, baggage: ___, ...others } = meta ?? {};
  const whole = { ...others, ...trace };
  if (Object.keys(whole).length > 0) return { ...params, _meta: whole };
  const { _meta: ____, ...rest } = params;
  return rest;
}

function isTraceparent(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > MOST_PARENT || !TRACEPARENT.test(value)) return false;
  // The first version has exactly these members.
  return !value.startsWith('00') || value.length === 55;
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= most && PRINTABLE.test(value);
}
