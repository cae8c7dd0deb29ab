export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Where a trace comes from, as W3C Trace Context writes it. */
export interface TraceParent {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

/** A stretch of work that somebody may want to look at afterwards. Nothing secret, and nothing of others' texts, is in it. */
export interface Span {
  /** For whoever goes on with the trace elsewhere. */
  readonly traceparent: string;
  /** A part of it: of the hub's own work, or a request to somebody else. */
  child(name: string, kind: 'internal' | 'client', attributes?: SpanAttributes): Span;
  /** What becomes known only later. */
  note(attributes: SpanAttributes): void;
  /** `error`: a code, where it failed. Only the first end counts. */
  end(error?: string): void;
}

/** Makes spans of requests that come in. */
export interface Tracer {
  begin(name: string, parent: TraceParent, attributes: SpanAttributes): Span;
}
