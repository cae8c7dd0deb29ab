import type { z } from '@hono/zod-openapi';
import type { AdminRoute } from '../../contract/index.js';
import { HubError, invalidField } from '../../kernel/index.js';
import {
  isObject,
  JsonError,
  parseJson,
  STRICT_JSON,
  type Json,
  type JsonLimits,
} from '../../mcp/jsonrpc/index.js';

/** What a route takes of a request, read and checked. Everything unknown is refused. */

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;
const MAX_ISSUES = 10;
/** The schema library takes some microseconds for each value, and for each that is wrong. */
const SETTINGS_JSON: JsonLimits = { ...STRICT_JSON, maxNodes: 20_000 };

export function readQuery<Query>({ query }: Pick<AdminRoute<string, Query>, 'query'>, url: URL): Query {
  const given = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    if (given.has(name)) throw invalid(name, 'is given twice');
    given.set(name, value);
  }
  // Unlike an assignment, this makes a member of every name, `__proto__` too.
  if (query !== undefined) return check(query, Object.fromEntries(given));
  const [unknown] = given.keys();
  if (unknown !== undefined) throw invalid(unknown, 'unknown parameter');
  return {} as Query;
}

export async function readBody<Body>(
  route: Pick<AdminRoute<string, unknown, Body>, 'body' | 'bodyOptional' | 'takesArguments'>,
  request: Request,
  maxBytes: number,
): Promise<Body> {
  const bytes = await readBytes(request, maxBytes);
  if (route.body === undefined) {
    if (bytes.length > 0) requireNothing(request, bytes);
    return undefined as Body;
  }
  if (bytes.length === 0 && route.bodyOptional === true) return check(route.body, {});
  requireJson(request.headers);
  return check(route.body, parse(bytes, route.takesArguments === true ? STRICT_JSON : SETTINGS_JSON));
}

/** Whoever asks for something that is not done so must not take it for done. */
function requireNothing({ headers }: Request, bytes: Buffer): void {
  requireJson(headers);
  const given = parse(bytes, SETTINGS_JSON);
  if (!isObject(given)) throw invalid('body', 'must be empty');
  const [unknown] = Object.keys(given);
  if (unknown !== undefined) throw invalid(unknown, 'unknown field');
}

function requireJson(headers: Headers): void {
  if (!JSON_TYPE.test(headers.get('content-type') ?? ''))
    throw new HubError('unsupported_media_type', 'the body must be application/json in UTF-8');
  if (!/^(?:identity)?$/i.test(headers.get('content-encoding') ?? ''))
    throw new HubError('unsupported_media_type', 'the body must not be compressed');
}

export async function readBytes(request: Request, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    // Leaving the loop by a throw cancels the rest of the body.
    for await (const chunk of request.body ?? []) {
      length += (chunk as Uint8Array).length;
      if (length > maxBytes) throw tooLarge(maxBytes);
      chunks.push(chunk as Uint8Array);
    }
  } catch (error) {
    throw error instanceof HubError
      ? error
      : new HubError('cancelled', 'the body did not arrive whole', { cause: error });
  }
  return Buffer.concat(chunks, length);
}

function parse(bytes: Buffer, limits: JsonLimits): Json {
  let text: string;
  try {
    // A byte order mark is left to the parser, which passes over one.
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new HubError('invalid_request', 'the body is not UTF-8');
  }
  try {
    return parseJson(text, limits);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new HubError('invalid_request', `the body cannot be read: ${error.message}`, {
      details: { fault: error.fault },
    });
  }
}

function check<Value>(schema: z.ZodType<Value>, given: unknown): Value {
  const parsed = schema.safeParse(given, {
    error: ({ code, input }) => (code === 'invalid_type' && input === undefined ? 'is missing' : undefined),
  });
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, MAX_ISSUES).map(toIssue);
  const [first] = issues;
  throw new HubError(
    'invalid_request',
    first === undefined ? 'the request is not valid' : `${first.field}: ${first.message}`,
    {
      details: { field: first?.field, issues },
    },
  );
}

/** Messages of the schema library speak of types and bounds, never of the values that were given. */
function toIssue(issue: z.core.$ZodIssue): { readonly field: string; readonly message: string } {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys')
    return { field: [...path, issue.keys[0]].join('.').slice(0, 200), message: 'unknown field' };
  return { field: path.join('.').slice(0, 200) || 'body', message: issue.message };
}

function invalid(field: string, problem: string): HubError {
  return invalidField(field.slice(0, 200), problem);
}

function tooLarge(maxBytes: number): HubError {
  return new HubError('request_too_large', `the body may have ${maxBytes} bytes`);
}
