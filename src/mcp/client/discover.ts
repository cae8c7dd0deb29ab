import { isObject, ProtocolError, type JsonObject } from '../jsonrpc/index.js';
import { TransportError } from '../transports/index.js';
import {
  envelopeKeys,
  routingHeaders,
  withMeta,
  type ModernRevision,
  type ProbeAnswer,
} from '../wire/index.js';
import { ClientError, toError } from './client-error.js';
import type { Connection } from './connection.js';
import type { Settings } from './settings.js';

const METHOD = 'server/discover';

/** What a probe brought: the answer to be judged and, where there was none, why. */
export interface Discovery {
  readonly answer: ProbeAnswer | undefined;
  readonly result: JsonObject | undefined;
  readonly error: Error | undefined;
}

/** Asks a server what it is. Never throws for what the server does; `answer` is undefined where nothing can be concluded. */
export async function discover(
  connection: Connection,
  settings: Settings,
  revision: ModernRevision,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Discovery> {
  const { capabilities, info } = settings;
  const params = withMeta(undefined, envelopeKeys({ revision, capabilities, info, logLevel: undefined }));
  const headers = connection.transport.carriesHeaders ? routingHeaders(revision, METHOD, params) : undefined;
  const { call, answer } = connection.ask(METHOD, params, { timeoutMs, signal, ...(headers && { headers }) });
  try {
    const result = await answer;
    return {
      answer: { kind: 'result', result },
      result: isObject(result) ? result : undefined,
      error: undefined,
    };
  } catch (caught) {
    const error = toError(caught);
    const probeAnswer = toProbeAnswer(error, call.status, connection.transport.carriesHeaders);
    return { answer: probeAnswer, result: undefined, error };
  }
}

function toProbeAnswer(error: Error, status: number | undefined, overHttp: boolean): ProbeAnswer | undefined {
  if (error instanceof ProtocolError) return { kind: 'error', error: error.toErrorObject(), status };
  if (!overHttp) {
    const silent =
      error instanceof TransportError || (error instanceof ClientError && error.code === 'timeout');
    return silent ? { kind: 'silence' } : undefined;
  }
  if (error instanceof TransportError && error.status !== undefined)
    return { kind: 'status', status: error.status };
  // An answer that holds nothing for the request: a server that does not know it.
  const unreadable = error instanceof TransportError ? UNREADABLE.has(error.code) : isInvalidResponse(error);
  return unreadable ? { kind: 'status', status: 200 } : undefined;
}

const UNREADABLE = new Set<string>(['HTTP_WRONG_CONTENT_TYPE', 'HTTP_EMPTY_BODY', 'HTTP_INVALID_BODY']);

function isInvalidResponse(error: Error): boolean {
  return error instanceof ClientError && error.code === 'invalid_response';
}
