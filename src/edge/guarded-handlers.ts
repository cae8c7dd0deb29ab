import { randomUUID } from 'node:crypto';
import { toCallId, type CallId } from '../kernel/index.js';
import { supportsElicitation } from '../mcp/model/index.js';
import { InputRequired, TaskCreated, type Handler, type McpRequest } from '../mcp/server/index.js';
import { Suspended, TaskBegun } from '../operations/index.js';
import { toMcpError, type Pages } from './mcp-face.js';

/** Answers a method whose use the event log has under an id. */
export type RecordedHandler = (request: McpRequest, callId: CallId) => ReturnType<Handler>;

/** Failures leave in the face of the protocol, with the id under which the log tells of them. */
export function recorded(handler: RecordedHandler): Handler {
  return (request) => answer(handler, request, toCallId(randomUUID()));
}

/** The same for what the log does not have. */
export function guarded(handler: Handler): Handler {
  return (request) => answer(handler, request, undefined);
}

function answer<Id extends CallId | undefined>(
  handler: (request: McpRequest, callId: Id) => ReturnType<Handler>,
  request: McpRequest,
  callId: Id,
): ReturnType<Handler> {
  const fail = (error: unknown): never => {
    throw shownAs(error, request, callId);
  };
  try {
    const result = handler(request, callId);
    return result instanceof Promise ? result.catch(fail) : result;
  } catch (error) {
    return fail(error);
  }
}

/** What the protocol library is handed instead of what a handler threw. */
export function shownAs(error: unknown, request: McpRequest, callId?: CallId): unknown {
  if (error instanceof Suspended) return new InputRequired(error.requests, error.state);
  if (error instanceof TaskBegun) return new TaskCreated(error.task);
  // What goes on with a call has the id of the request that began it.
  const known = request.resumed === undefined ? callId : undefined;
  return toMcpError(error, request.method, pagesOf(request), known);
}

function pagesOf({ asksLive, client }: McpRequest): Pages {
  if (!supportsElicitation(client.capabilities, 'url')) return 'unknown';
  return asksLive ? 'told' : 'asked';
}
