import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  ProtocolError,
  writeError,
  writeResult,
  type Json,
  type JsonObject,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
} from '../../jsonrpc/index.js';
import { isLogLevel } from '../../model/index.js';
import { continueTrace, readProgressToken, withoutHopMeta } from '../../wire/index.js';
import { checkParams } from '../check-params.js';
import type { Core } from '../core.js';
import type { ExchangeHeaders } from '../exchange.js';
import { whenReady, type MaybePromise } from '../maybe-promise.js';
import type { Reply } from '../reply.js';
import { LegacyCall } from './legacy-call.js';
import { knowsTasks, type LegacyPeer } from './legacy-peer.js';

const EMPTY: JsonObject = {};
const MOST_REASON = 1_000;
const HALF_AT_END = /[\uD800-\uDBFF]$/;

/** Runs one request of a legacy client. False while it has not been answered. */
export function dispatchLegacy(
  core: Core,
  peer: LegacyPeer,
  message: RequestMessage,
  reply: Reply,
  headers?: ExchangeHeaders,
): boolean {
  const { id, method, params = EMPTY } = message;
  try {
    const refusal = peer.session?.refuses(id);
    if (refusal !== undefined) {
      reply.answer(writeError(id, refusal.toErrorObject()), refusal.code === INVALID_REQUEST ? 400 : 429);
      return true;
    }
    const progressToken = readProgressToken(params);
    const handler =
      isAboutTasks(method) && !knowsTasks(peer)
        ? undefined
        : core.findHandler(method, peer.description.capabilities, 'legacy');
    if (handler === undefined) {
      return serveOwn(core, peer, message, reply);
    }
    checkParams(method, params);
    const call = new LegacyCall(
      {
        core,
        id,
        method,
        params: continueTrace(withoutHopMeta(params), headers),
        principal: peer.principal,
        client: peer.clientFor(reply.carriesMessages),
        progressToken,
        logLevel: peer.logLevel,
        reply,
      },
      peer,
      handler,
    );
    call.start();
    if (!call.done) peer.session?.calls.set(id, call);
    return call.done;
  } catch (error) {
    answerError(core, reply, id, error);
    return true;
  }
}

/** What the protocol itself needs. */
function serveOwn(core: Core, peer: LegacyPeer, message: RequestMessage, reply: Reply): boolean {
  const { id, method, params = EMPTY } = message;
  const { session } = peer;
  const { capabilities } = peer.description;
  if (isSubscription(method) && canSubscribe(core, peer))
    return serveSubscription(core, peer, message, reply);
  if (method === 'logging/setLevel' && session !== undefined && capabilities.logging !== undefined) {
    const { level } = params;
    if (!isLogLevel(level)) throw new ProtocolError(INVALID_PARAMS, 'level must be a log level');
    return answerWhenDone(core, reply, id, session.change({ logLevel: level }));
  } else if (method === 'initialize') {
    throw new ProtocolError(INVALID_REQUEST, 'The session is initialised already');
  } else if (method !== 'ping') {
    throw new ProtocolError(METHOD_NOT_FOUND, 'Method not found');
  }
  reply.answer(writeResult(id, '{}'), 200);
  return true;
}

function serveSubscription(core: Core, peer: LegacyPeer, message: RequestMessage, reply: Reply): boolean {
  const { id, method, params = EMPTY } = message;
  checkParams(method, params);
  const uri = typeof params['uri'] === 'string' ? params['uri'] : '';
  const { session } = peer;
  const subscribed: MaybePromise<void> =
    method === 'resources/subscribe' ? session?.subscribe(uri) : session?.unsubscribe(uri);
  return answerWhenDone(core, reply, id, subscribed);
}

/** False while it has not been answered. */
function answerWhenDone(core: Core, reply: Reply, id: RequestId, done: MaybePromise<void>): boolean {
  let answered = false;
  whenReady(
    done,
    () => {
      answered = true;
      reply.answer(writeResult(id, '{}'), 200);
    },
    (error) => answerError(core, reply, id, error),
  );
  return answered;
}

function isAboutTasks(method: string): boolean {
  return method.startsWith('tasks/');
}

function isSubscription(method: string): boolean {
  return method === 'resources/subscribe' || method === 'resources/unsubscribe';
}

function canSubscribe(core: Core, peer: LegacyPeer): boolean {
  return (
    peer.session !== undefined &&
    core.listen !== undefined &&
    peer.description.capabilities.resources?.subscribe === true
  );
}

function answerError(core: Core, reply: Reply, id: RequestId, error: unknown): void {
  if (error instanceof ProtocolError) {
    reply.answer(writeError(id, error.toErrorObject()), error.code === INVALID_REQUEST ? 400 : 200);
    return;
  }
  core.observe({ type: 'port_failed', port: 'listen', error });
  reply.answer(writeError(id, { code: INTERNAL_ERROR, message: 'Internal error' }), 200);
}

/** Notifications have no answer; what is not understood is ignored. Ready when others may count on it. */
export function noticeLegacy(peer: LegacyPeer, message: NotificationMessage): MaybePromise<void> {
  const { session } = peer;
  if (session === undefined) return;
  if (message.method === 'notifications/initialized') {
    return session.change({ initialized: true });
  } else if (message.method === 'notifications/cancelled') {
    const { requestId: id, reason } = message.params ?? {};
    if (typeof id === 'string' || typeof id === 'number') session.cancelCall(id, readReason(reason));
  }
}

/** What somebody wrote, for people to read: bounded, and without half a character at its end. */
function readReason(reason: Json | undefined): string | undefined {
  if (typeof reason !== 'string' || reason === '') return undefined;
  return reason.slice(0, MOST_REASON).replace(HALF_AT_END, '');
}
