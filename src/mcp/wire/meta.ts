import {
  INVALID_PARAMS,
  isObject,
  ProtocolError,
  type JsonObject,
  type RequestId,
} from '../jsonrpc/index.js';
import { isLogLevel, type ClientCapabilities, type Implementation, type LogLevel } from '../model/index.js';

const PREFIX = 'io.modelcontextprotocol/';
export const META_REVISION = `${PREFIX}protocolVersion`;
export const META_CLIENT_CAPABILITIES = `${PREFIX}clientCapabilities`;
export const META_CLIENT_INFO = `${PREFIX}clientInfo`;
export const META_SERVER_INFO = `${PREFIX}serverInfo`;
export const META_LOG_LEVEL = `${PREFIX}logLevel`;
export const META_SUBSCRIPTION_ID = `${PREFIX}subscriptionId`;
export const META_RELATED_TASK = `${PREFIX}related-task`;

/** What a modern request says of itself in `params._meta`. */
export interface Envelope {
  readonly revision: string;
  readonly capabilities: ClientCapabilities;
  readonly info: Implementation | undefined;
  readonly logLevel: LogLevel | undefined;
}

export function metaOf(params: JsonObject | undefined): JsonObject | undefined {
  const meta = params?.['_meta'];
  return isObject(meta) ? meta : undefined;
}

/** Whether a message claims to be modern. A claim is then validated, never ignored. */
export function claimsModern(params: JsonObject | undefined): boolean {
  return metaOf(params)?.[META_REVISION] !== undefined;
}

/** The version a message claims. */
export function readRevision(params: JsonObject | undefined): string {
  const revision = metaOf(params)?.[META_REVISION];
  if (typeof revision !== 'string') throw badMeta(META_REVISION, 'a string');
  return revision;
}

export function readEnvelope(params: JsonObject | undefined): Envelope {
  const revision = readRevision(params);
  const meta = metaOf(params) ?? {};
  const capabilities = meta[META_CLIENT_CAPABILITIES];
  const info = meta[META_CLIENT_INFO];
  const logLevel = meta[META_LOG_LEVEL];
  if (!areCapabilities(capabilities)) throw badMeta(META_CLIENT_CAPABILITIES, 'an object of objects');
  if (info !== undefined && !isImplementation(info)) {
    throw badMeta(META_CLIENT_INFO, 'an object with name and version');
  }
  if (logLevel !== undefined && !isLogLevel(logLevel)) throw badMeta(META_LOG_LEVEL, 'a log level');
  return { revision, capabilities, info, logLevel };
}

/** The envelope of a message, if it has a well-formed one. */
export function findEnvelope(params: JsonObject | undefined): Envelope | undefined {
  if (!claimsModern(params)) return undefined;
  try {
    return readEnvelope(params);
  } catch {
    return undefined;
  }
}

function badMeta(key: string, expected: string): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, `_meta key ${key} must be ${expected}`);
}

const CAPABILITIES = ['roots', 'sampling', 'elicitation', 'extensions', 'experimental'] as const;

/** Members we do not know may be anything. */
export function areCapabilities(value: unknown): value is ClientCapabilities {
  if (!isObject(value)) return false;
  for (const name of CAPABILITIES) if (value[name] !== undefined && !isObject(value[name])) return false;
  return true;
}

export function isImplementation(value: unknown): value is Implementation & JsonObject {
  return isObject(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string';
}

/** The token under which a sender wants to hear of progress. */
export function readProgressToken(params: JsonObject | undefined): RequestId | undefined {
  const rawMeta = params?.['_meta'];
  if (rawMeta !== undefined && !isObject(rawMeta)) {
    throw new ProtocolError(INVALID_PARAMS, '_meta must be an object');
  }
  const token = rawMeta?.['progressToken'];
  if (token === undefined) return undefined;
  if (typeof token === 'string' || Number.isSafeInteger(token)) return token as RequestId;
  throw new ProtocolError(INVALID_PARAMS, 'progressToken must be a string or an integer');
}

/** `params` without what belongs to one hop: the envelope and the progress token. Vendor keys and trace context stay. */
export function withoutHopMeta(params: JsonObject): JsonObject {
  const meta = metaOf(params);
  if (meta === undefined) return params;
  if (isOfHop(meta)) return withoutMeta(params);
  const { _meta: _, ...rest } = params;
  const kept = Object.entries(meta).filter(([key]) => !isHopKey(key));
  return { ...rest, _meta: Object.fromEntries(kept) };
}

/** The params of a call are written out: leaving a member out of a copy costs more than reading the whole message. */
function withoutMeta(params: JsonObject): JsonObject {
  const { name, arguments: args } = params;
  if (name !== undefined && args !== undefined && countMembers(params) === 3)
    return { name, arguments: args };
  const { _meta: _, ...rest } = params;
  return rest;
}

/** The text of `_meta` in which there is nothing else: a copy of the params only for its sake would be dear. */
export function progressMember(progressToken: number): string {
  return `"_meta":{"progressToken":${progressToken}}`;
}

function countMembers(value: JsonObject): number {
  let count = 0;
  for (const key in value) if (Object.hasOwn(value, key)) count++;
  return count;
}

/** Whether there is nothing else in it, as in most requests. */
function isOfHop(meta: JsonObject): boolean {
  for (const key in meta) if (!isHopKey(key)) return false;
  return true;
}

function isHopKey(key: string): boolean {
  return key === 'progressToken' || key.startsWith(PREFIX);
}

/** `params` with the given keys set in `_meta`; what else is there stays. */
export function withMeta(params: JsonObject | undefined, keys: JsonObject): JsonObject {
  return { ...params, _meta: { ...metaOf(params), ...keys } };
}

export function envelopeKeys(envelope: Envelope): JsonObject {
  return {
    [META_REVISION]: envelope.revision,
    [META_CLIENT_CAPABILITIES]: envelope.capabilities as JsonObject,
    ...(envelope.info && { [META_CLIENT_INFO]: envelope.info as unknown as JsonObject }),
    ...(envelope.logLevel && { [META_LOG_LEVEL]: envelope.logLevel }),
  };
}
