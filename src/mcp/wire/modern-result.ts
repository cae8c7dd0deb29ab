import { isObject, stringifyAndKeep, stringifyJson, type Json, type JsonObject } from '../jsonrpc/index.js';
import { leadsAstray, type Implementation, type InputRequests } from '../model/index.js';
import { META_SERVER_INFO, metaOf } from './meta.js';

export interface CacheHints {
  readonly ttlMs: number;
  readonly cacheScope: 'public' | 'private';
}

const CACHEABLE = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);
const MAY_ASK = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** The methods whose answer may be a request for input. */
export function mayRequireInput(method: string): boolean {
  return MAY_ASK.has(method);
}

/** A handler's result as modern JSON. A result that names its own type or cache hints keeps them. */
export function writeModernResult(
  method: string,
  result: JsonObject,
  info: Implementation,
  hints: CacheHints,
): string {
  if (method === 'tools/call' && isBare(result)) return appendMembers(stringifyJson(result), info);
  const { resultType = 'complete', ttlMs = hints.ttlMs, cacheScope = hints.cacheScope } = result;
  return stringifyJson({
    ...result,
    ...(method === 'tools/list' && { tools: withoutExecution(result['tools']) }),
    resultType,
    ...(CACHEABLE.has(method) && { ttlMs, cacheScope }),
    _meta: { ...metaOf(result), [META_SERVER_INFO]: info },
  });
}

/** Whether nothing in a result has to make room for, or be merged with, what is added to it. */
function isBare(result: JsonObject): boolean {
  return result['resultType'] === undefined && result['_meta'] === undefined && !('toJSON' in result);
}

/** Calls are many, and copying a result in order to add two members costs as much as writing it. */
function appendMembers(text: string, info: Implementation): string {
  const separator = text === '{}' ? '' : ',';
  return `${text.slice(0, -1)}${separator}"resultType":"complete","_meta":{"${META_SERVER_INFO}":${stringifyAndKeep(info)}}}`;
}

/** `execution` tells of the tasks that 2025-11-25 had; the modern era has no such member. */
function withoutExecution(tools: Json | undefined): Json | undefined {
  if (!Array.isArray(tools)) return tools;
  return tools.map((tool: Json) => {
    if (!isObject(tool) || tool['execution'] === undefined) return tool;
    const { execution: _, ...rest } = tool;
    return rest;
  });
}

/** `info` is put into `_meta`, as in every other result. */
export function writeInputRequired(
  requests: InputRequests,
  requestState: string | undefined,
  info?: Implementation,
): string {
  return stringifyJson({
    resultType: 'input_required',
    ...(Object.keys(requests).length > 0 && { inputRequests: requests }),
    ...(requestState !== undefined && { requestState }),
    ...(info !== undefined && { _meta: { [META_SERVER_INFO]: info } }),
  });
}

/** A modern result as a client receives it. */
export type ModernResult =
  | { readonly type: 'complete'; readonly result: JsonObject }
  | {
      readonly type: 'input_required';
      readonly requests: InputRequests;
      readonly requestState: string | undefined;
    }
  | { readonly type: 'task'; readonly result: JsonObject }
  | { readonly type: 'invalid'; readonly reason: string };

/** `tasks` tells whether this request declared the tasks extension; undeclared result types are invalid. */
export function readModernResult(method: string, value: Json, tasks: boolean): ModernResult {
  if (!isObject(value)) return invalid('a result must be an object');
  const { resultType = 'complete' } = value;
  if (resultType === 'complete') return { type: 'complete', result: value };
  if (resultType === 'input_required') return readInputRequired(method, value);
  if (resultType === 'task' && tasks && method === 'tools/call') return { type: 'task', result: value };
  return invalid('unknown resultType');
}

const INPUT_METHODS = new Set<unknown>(['elicitation/create', 'sampling/createMessage', 'roots/list']);

function readInputRequired(method: string, value: JsonObject): ModernResult {
  if (!mayRequireInput(method)) return invalid(`${method} may not ask for input`);
  const { inputRequests = {}, requestState } = value;
  if (requestState !== undefined && typeof requestState !== 'string')
    return invalid('requestState must be a string');
  if (!isObject(inputRequests)) return invalid('inputRequests must be an object');
  const requests = Object.values(inputRequests);
  if (requests.length === 0 && requestState === undefined)
    return invalid('input_required without requests or state');
  const wellFormed = requests.every(
    (request) =>
      isObject(request) &&
      INPUT_METHODS.has(request['method']) &&
      (request['params'] === undefined || isObject(request['params'])),
  );
  if (!wellFormed) return invalid('an input request has an unknown kind');
  const asked = inputRequests as unknown as InputRequests;
  if (Object.values(asked).some(leadsAstray))
    return invalid('an input request has an address that is not http or https');
  return { type: 'input_required', requests: asked, requestState };
}

function invalid(reason: string): ModernResult {
  return { type: 'invalid', reason };
}
