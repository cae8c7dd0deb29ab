import type { ProvidedHeaders } from './http-options.js';
import type { Outgoing } from './transport.js';

/** As undici hands them over: names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface SessionHeaders {
  readonly session: string | undefined;
  readonly revision: string | undefined;
}

const SESSION = 'mcp-session-id';
const REVISION = 'mcp-protocol-version';
const METHOD = 'mcp-method';

/** Not taken from the caller's headers: the transport sets them, or they would change how the message is framed. */
const OWN: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'last-event-id',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  METHOD,
  'mcp-name',
  REVISION,
  SESSION,
]);

const MAX_SESSION_LENGTH = 1024;
const MAX_EVENT_ID_LENGTH = 1024;
const MAX_CHALLENGE_LENGTH = 8 * 1024;
const MAX_RETRY_AFTER_MS = 60_000;

/** A message of the modern era names its method in a header. Such a message has no session and no second stream. */
export function isModern(message: Outgoing): boolean {
  const { headers } = message;
  if (headers === undefined) return false;
  for (const name in headers) if (name.length === METHOD.length && name.toLowerCase() === METHOD) return true;
  return false;
}

/** Names and values in turn, the form that undici takes without another pass. */
export function postHeaders(message: Outgoing, provided: ProvidedHeaders, state: SessionHeaders): string[] {
  const list = [
    'accept',
    'application/json, text/event-stream',
    'content-type',
    'application/json',
    'accept-encoding',
    'identity',
  ];
  appendProvided(list, provided);
  let { revision } = state;
  if (message.headers !== undefined) {
    for (const name in message.headers) {
      const value = message.headers[name];
      if (value === undefined) continue;
      if (name.length === REVISION.length && name.toLowerCase() === REVISION) revision = undefined;
      list.push(name, value);
    }
  }
  if (revision !== undefined) list.push(REVISION, revision);
  if (state.session !== undefined) list.push(SESSION, state.session);
  return list;
}

/** Of a GET or DELETE, which carry no message. */
export function bareHeaders(
  provided: ProvidedHeaders,
  state: SessionHeaders,
  lastEventId?: string,
): string[] {
  const list = ['accept', 'text/event-stream', 'accept-encoding', 'identity'];
  appendProvided(list, provided);
  if (state.revision !== undefined) list.push(REVISION, state.revision);
  if (state.session !== undefined) list.push(SESSION, state.session);
  if (lastEventId !== undefined) list.push('last-event-id', Buffer.from(lastEventId).toString('latin1'));
  return list;
}

function appendProvided(list: string[], provided: ProvidedHeaders): void {
  for (const name in provided) {
    const value = provided[name];
    if (value !== undefined && !OWN.has(name.toLowerCase())) list.push(name, value);
  }
}

/** Whether an event id can be sent back in a header. If not, its stream cannot be resumed. */
export function isResumableId(id: string | undefined): id is string {
  return id !== undefined && id.length <= MAX_EVENT_ID_LENGTH && !/[\0-\x08\x0a-\x1f\x7f]/.test(id);
}

/** The session header of an answer, unchecked. */
export function sessionOf(headers: AnswerHeaders): unknown {
  return headers[SESSION];
}

/** Only visible ASCII is allowed; anything else must not be echoed. */
export function isSessionId(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_SESSION_LENGTH && /^[\x21-\x7e]+$/.test(value);
}

/** The media type alone, in lower case. */
export function mediaTypeOf(headers: AnswerHeaders): string {
  const value = headers['content-type'];
  if (typeof value !== 'string') return '';
  const end = value.indexOf(';');
  return (end === -1 ? value : value.slice(0, end)).trim().toLowerCase();
}

/** Whether the body is as the server wrote it. We ask for no other and would not undo one. */
export function isPlain(headers: AnswerHeaders): boolean {
  const encoding = headers['content-encoding'];
  return encoding === undefined || encoding === '' || encoding === 'identity';
}

export function challengeOf(headers: AnswerHeaders): string | undefined {
  const value = headers['www-authenticate'];
  if (value === undefined) return undefined;
  return (typeof value === 'string' ? value : value.join(', ')).slice(0, MAX_CHALLENGE_LENGTH);
}

/** Seconds or a date, bounded: a server must not silence us for a day. */
export function retryAfterOf(headers: AnswerHeaders, now = Date.now()): number | undefined {
  const value = headers['retry-after'];
  if (typeof value !== 'string') return undefined;
  const seconds = /^\d+$/.test(value);
  if (!seconds && !value.endsWith('GMT')) return undefined;
  const ms = seconds ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}
