import type { Agent } from '../../agents/index.js';
import type { ToolCallEvent, ToolCallQuestion } from '../../contract/index.js';
import { HubError, toCallId, type CallId } from '../../kernel/index.js';
import type { JsonObject } from '../../mcp/jsonrpc/index.js';
import type { InputRequest } from '../../mcp/model/index.js';
import type { AdminCaller, CallWatch, QuestionEnd, ToolCall } from '../../operations/index.js';
import { askProfileOf, type AskCaller } from '../../upstreams/index.js';
import { CallStopwatch } from './call-stopwatch.js';
import type { AdminDependencies } from './dependencies.js';
import { toFailedAnswer } from './error-answer.js';
import { MessageStream } from './message-stream.js';
import { callWithin, type AdminTrace } from './trace-request.js';

export interface WatchedCall {
  readonly by: AdminCaller;
  readonly agent: Agent;
  readonly name: string;
  readonly args: JsonObject | undefined;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
  readonly trace: AdminTrace;
}

export interface CallStreams {
  /** Makes a call and tells how it goes on. Throws `overloaded` when too many are under way. */
  open(call: WatchedCall): ReadableStream<Uint8Array>;
}

type Needs = Pick<AdminDependencies, 'operations' | 'streams' | 'shutdown' | 'clock'>;

const MOST = 64;
/** Of one admin: a browser grants few connections to one host. */
const MOST_OF_ONE = 8;
const KEEP_ALIVE_MS = 15_000;
const STALL_MS = 60_000;
/** A person can be shown a form or sent to a page. There is no model here, and no folder. */
const ASKS = askProfileOf({ elicitation: { form: {}, url: {} } });

export function createCallStreams(deps: Needs): CallStreams {
  const running: string[] = [];
  return {
    open(call) {
      if (deps.shutdown?.aborted === true) throw new HubError('shutting_down', 'the hub is shutting down');
      const own = running.filter((id) => id === call.by.id).length;
      if (running.length >= MOST || own >= MOST_OF_ONE)
        throw new HubError('overloaded', 'too many calls are under way', { retryAfterMs: 5_000 });
      running.push(call.by.id);
      return run(deps, call, () => running.splice(running.indexOf(call.by.id), 1));
    },
  };
}

function run(deps: Needs, call: WatchedCall, onEnd: () => void): ReadableStream<Uint8Array> {
  const gone = new AbortController();
  const stream = new MessageStream({
    keepAliveMs: deps.streams?.keepAliveMs ?? KEEP_ALIVE_MS,
    stallMs: deps.streams?.stallMs ?? STALL_MS,
    onGone: () => gone.abort(),
  });
  const signals = [gone.signal, call.signal, ...(deps.shutdown === undefined ? [] : [deps.shutdown])];
  const send = (event: ToolCallEvent): void => stream.send(event);
  const callId = toCallId(call.by.request);
  send({ type: 'started', callId });
  const stopwatch = new CallStopwatch(deps.clock, (finished) => send({ type: 'stage', ...finished }));
  const made = toToolCall(deps, call, callId, { stopwatch, send, signal: AbortSignal.any(signals) });
  void callWithin(call.trace, made, deps.operations.callTool)
    .then(
      (result): ToolCallEvent => ({ type: 'result', callId, result }),
      (error: unknown): ToolCallEvent => ({ type: 'error', error: toFailedAnswer(error).body.error }),
    )
    .then((last) => {
      onEnd();
      stopwatch.begins(undefined);
      send(last);
      stream.end();
    });
  return stream.readable;
}

interface Telling {
  readonly stopwatch: CallStopwatch;
  readonly send: (event: ToolCallEvent) => void;
  readonly signal: AbortSignal;
}

function toToolCall(
  deps: Needs,
  { by, agent, name, args }: WatchedCall,
  callId: CallId,
  telling: Telling,
): ToolCall {
  const { stopwatch, send, signal } = telling;
  const watch: CallWatch = {
    begins: (stage) => stopwatch.begins(stage),
    decided: ({ kind, policies, reason }) =>
      send({ type: 'decision', decision: kind, policies: [...policies], reason }),
    // The last message says so.
    failed: () => {},
  };
  return {
    callId,
    agent,
    admin: by.id,
    scope: { kind: 'all' },
    exposedName: name,
    args,
    asks: ASKS,
    watch,
    options: {
      signal,
      onProgress: ({ progress, total, message }) =>
        send({
          type: 'progress',
          progress,
          ...(total !== undefined && { total }),
          ...(message !== undefined && { message }),
        }),
      ask: askPerson(deps, by, callId, telling),
      ...(ASKS && { capabilities: ASKS.capabilities }),
    },
  };
}

/** Puts a question to whoever reads the stream. */
function askPerson(
  { operations }: Needs,
  by: AdminCaller,
  callId: CallId,
  { stopwatch, send, signal: ofCall }: Telling,
): AskCaller {
  return async (question, signal) => {
    const shown = toQuestion(question, stopwatch);
    if (shown === undefined) {
      send({ type: 'question_refused', method: question.method });
      return undefined;
    }
    let id: string | undefined;
    const answered = stopwatch.waits();
    let ended: QuestionEnd;
    try {
      ended = await operations.callQuestions.ask({
        by,
        callId,
        signal: AbortSignal.any([signal, ofCall]),
        onAsked: (asked) => {
          id = asked.id;
          send({ ...shown, id, expiresAt: new Date(asked.expiresAt).toISOString() });
        },
      });
    } finally {
      answered();
    }
    if (id !== undefined) send({ type: 'question_over', id, reason: ended.reason });
    return ended.reason === 'answered' ? (ended.answer as JsonObject) : undefined;
  };
}

function toQuestion(
  { method, params = {} }: InputRequest,
  { stage }: CallStopwatch,
): Omit<ToolCallQuestion, 'id' | 'expiresAt'> | undefined {
  if (method !== 'elicitation/create') return undefined;
  const { mode = 'form', message, requestedSchema, url } = params;
  const base = {
    type: 'question' as const,
    from:
      stage === 'confirmation'
        ? ('policy' as const)
        : stage === 'credential'
          ? ('hub' as const)
          : ('upstream' as const),
    message: typeof message === 'string' ? message : '',
  };
  if (mode === 'url') return typeof url === 'string' ? { ...base, mode, url } : undefined;
  if (mode !== 'form') return undefined;
  return {
    ...base,
    mode,
    requestedSchema: (requestedSchema ?? { type: 'object', properties: {} }) as JsonObject,
  };
}
