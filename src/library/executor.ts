import { fitBlocks } from '../governance/index.js';
import {
  isObject,
  JsonNumber,
  parseJson,
  stringifyJson,
  withDefaults,
  type Json,
  type JsonError,
  type JsonObject,
} from '../mcp/jsonrpc/index.js';
import type { CallResult, ContentBlock, Progress } from '../mcp/model/index.js';
import type { ToolSnapshot } from './tool-snapshot.js';

/** What a tool loop gets back, whatever happened. Nothing is thrown. */
export interface Envelope {
  readonly ok: boolean;
  readonly data: {
    readonly text: string;
    readonly content: readonly ContentBlock[];
    readonly structuredContent: Json | undefined;
  };
  readonly warnings: readonly Notice[];
  readonly errors: readonly Notice[];
}

/** What went wrong, or what was left out, under a code that does not change. */
export interface Notice {
  readonly code: string;
  readonly message: string;
}

/** Bounds for every call of an executor. Defaults: 200,000 bytes, 20 levels, 50,000 values. */
export interface ExecutorOptions {
  /** Bytes of arguments and of results. */
  readonly maxBytes?: number;
  readonly maxDepth?: number;
  readonly maxNodes?: number;
}

/** For one call. */
export interface ExecuteOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly onProgress?: (progress: Progress) => void;
}

/** Arguments as the model wrote them: an object, or its JSON text. */
export type Execute = (
  name: string,
  args: JsonObject | string | undefined,
  options?: ExecuteOptions,
) => Promise<Envelope>;

const DEFAULTS = { maxBytes: 200_000, maxDepth: 20, maxNodes: 50_000 };

/** Routes calls of a model to the servers of a snapshot. */
export function createExecutor(snapshot: ToolSnapshot, options?: ExecutorOptions): Execute {
  const limits = requireLimits(withDefaults(DEFAULTS, options));
  return async function execute(name, given, executeOptions = {}) {
    const target = snapshot.mapping.get(name);
    const client = target === undefined ? undefined : snapshot.clients.get(target.source);
    if (target === undefined || client === undefined)
      return failed('UNKNOWN_TOOL', `there is no tool ${name}`.slice(0, 145));
    const args = readArguments(given, limits);
    if ('code' in args) return failed(args.code, args.message);
    try {
      return toEnvelope(await client.callTool(target.tool, args.value, executeOptions), limits);
    } catch (error) {
      return failed(codeOf(error), error instanceof Error ? error.message : 'the call failed');
    }
  };
}

type Limits = typeof DEFAULTS;

/** Throws `RangeError` for a limit that makes no sense. */
function requireLimits(limits: Limits): Limits {
  for (const name of ['maxBytes', 'maxDepth', 'maxNodes'] as const)
    if (!(limits[name] > 0)) throw new RangeError(`${name} must be a positive number`);
  return limits;
}

function readArguments(
  given: JsonObject | string | undefined,
  limits: Limits,
): { value: JsonObject } | Notice {
  return typeof given === 'string'
    ? readText(given.trim() === '' ? '{}' : given, limits)
    : readObject(given ?? {}, limits);
}

/** As a model writes them. Digits that a double would round are kept. */
function readText(text: string, limits: Limits): { value: JsonObject } | Notice {
  if (Buffer.byteLength(text) > limits.maxBytes) return tooManyBytes(limits);
  let value: Json;
  try {
    value = parseJson(text, {
      maxDepth: limits.maxDepth,
      maxNodes: limits.maxNodes,
      duplicateKeys: 'refuse',
    });
  } catch (error) {
    const { fault } = error as JsonError;
    if (fault === 'depth' || fault === 'nodes') return tooMuch(limits);
    const message =
      fault === 'duplicate_key' ? 'arguments have the same key twice' : 'arguments are not valid JSON';
    return { code: 'ARGUMENTS_INVALID', message };
  }
  return isObject(value) ? { value } : { code: 'ARGUMENTS_INVALID', message: 'arguments must be an object' };
}

/** Its shape is looked at before its size, because writing an endless one would not end. */
function readObject(value: JsonObject, limits: Limits): { value: JsonObject } | Notice {
  if (!isObject(value)) return { code: 'ARGUMENTS_INVALID', message: 'arguments must be an object' };
  if (!fits(value, limits.maxDepth, limits.maxNodes, { nodes: 0 })) return tooMuch(limits);
  try {
    return Buffer.byteLength(stringifyJson(value)) > limits.maxBytes ? tooManyBytes(limits) : { value };
  } catch {
    return { code: 'ARGUMENTS_INVALID', message: 'arguments have no JSON form' };
  }
}

function tooManyBytes({ maxBytes }: Limits): Notice {
  return { code: 'ARGUMENTS_TOO_LARGE', message: `arguments have more than ${maxBytes} bytes` };
}

function tooMuch({ maxDepth, maxNodes }: Limits): Notice {
  return {
    code: 'ARGUMENTS_TOO_LARGE',
    message: `arguments are nested deeper than ${maxDepth} levels or have more than ${maxNodes} values`,
  };
}

/** Counts as the parser does: the outermost value is level one. */
function fits(value: unknown, depth: number, maxNodes: number, count: { nodes: number }): boolean {
  if (++count.nodes > maxNodes) return false;
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return true;
  return depth > 0 && Object.values(value).every((member) => fits(member, depth - 1, maxNodes, count));
}

/** Faults of the wire and of the client have names, errors of the server numbers. */
function codeOf(error: unknown): string {
  const { code } = error as { code?: string | number };
  if (code === 'session_lost') return 'MCP_SESSION_NOT_FOUND';
  return typeof code === 'string' ? code.toUpperCase() : `RPC_${code ?? 'ERROR'}`;
}

/** Text for the model; content and structured content for the program. None of them is larger than allowed, and what is missing is said. */
function toEnvelope(result: CallResult, limits: Limits): Envelope {
  const fitted = fitBlocks(result.content, limits.maxBytes);
  const structured = fitStructured(result.structuredContent, limits);
  const texts = fitted.content.filter(({ type }) => type === 'text').map(({ text }) => String(text));
  const summary = summarise(texts, structured.text, limits.maxBytes);
  return {
    ok: result.isError !== true,
    data: { text: summary.text, content: fitted.content, structuredContent: structured.value },
    warnings: [...fitted.warnings, ...structured.warnings, ...summary.warnings].map((message) => ({
      code: 'TOOL_OUTPUT_TOO_LARGE',
      message,
    })),
    errors: result.isError === true ? [{ code: 'TOOL_ERROR', message: summary.text }] : [],
  };
}

/** Half of it would be something else, so it is kept whole or not at all. */
function fitStructured(
  value: Json | undefined,
  limits: Limits,
): { value?: Json; text?: string; warnings: string[] } {
  if (value === undefined) return { warnings: [] };
  if (!fits(value, limits.maxDepth, limits.maxNodes, { nodes: 0 }))
    return { warnings: ['structured content with too many values or levels left out'] };
  const text = stringifyJson(value);
  const bytes = Buffer.byteLength(text);
  return bytes <= limits.maxBytes
    ? { value, text, warnings: [] }
    : { warnings: [`structured content of ${bytes} bytes left out`] };
}

function summarise(
  texts: readonly string[],
  structured: string | undefined,
  maxBytes: number,
): { text: string; warnings: string[] } {
  const plain = texts.join('\n');
  if (structured === undefined) return { text: plain, warnings: [] };
  const whole = plain === '' ? structured : `${plain}\n${structured}`;
  return Buffer.byteLength(whole) <= maxBytes
    ? { text: whole, warnings: [] }
    : { text: plain, warnings: ['structured content is not repeated in the text'] };
}

function failed(code: string, message: string): Envelope {
  return {
    ok: false,
    data: { text: message, content: [], structuredContent: undefined },
    warnings: [],
    errors: [{ code, message }],
  };
}
