import { isObject, parseJson, stringifyJson, TOLERANT_JSON, type JsonObject } from '../mcp/jsonrpc/index.js';
import type { AnswerHeaders, AnswerStream, Exchange, ExchangeHeaders } from '../mcp/server/index.js';

/** Paths that take the params of a method as their body and answer its bare result. */
export const REST_METHODS: Readonly<Record<string, string>> = {
  '/mcp/initialize': 'initialize',
  '/mcp/tools/list': 'tools/list',
  '/mcp/tools/call': 'tools/call',
};

/**
 * A request of the plain JSON routes, dressed as a JSON-RPC message, so that it passes the same checks as any other.
 * Its answer is undressed on the way back: the result, or `{error: {code, message}}`.
 */
export class RestExchange implements Exchange {
  readonly method: string;
  readonly target = '/mcp';
  readonly headers: ExchangeHeaders;
  readonly body: Uint8Array;
  readonly #inner: Exchange;

  constructor(inner: Exchange, rpcMethod: string) {
    this.#inner = inner;
    this.method = inner.method;
    this.headers = { ...inner.headers, accept: 'application/json' };
    this.body = inner.method === 'POST' ? dress(inner.body, rpcMethod) : inner.body;
  }

  send(status: number, headers: AnswerHeaders, body?: string | Uint8Array): void {
    if (typeof body !== 'string' || (status >= 500 && status !== 503)) {
      this.#inner.send(status, headers, body);
      return;
    }
    // Results may be larger than what we accept from clients.
    const { result, error } = parseJson(body, TOLERANT_JSON) as JsonObject;
    if (result !== undefined) this.#inner.send(status, headers, stringifyJson(result));
    else
      this.#inner.send(
        status,
        headers,
        stringifyJson({ error: error ?? { code: -32_603, message: 'Internal error' } }),
      );
  }

  /** Never asked for: these routes accept JSON only. */
  stream(status: number, headers: AnswerHeaders): AnswerStream {
    return this.#inner.stream(status, headers);
  }

  onAbort(listener: (reason?: string) => void): void {
    this.#inner.onAbort(listener);
  }
}

/** An array of no messages, which nobody serves. */
const NO_MESSAGES = Buffer.from('[]');

/**
 * What is no JSON object goes on as it is and is refused as unreadable; an array would be messages, and goes on without
 * them. An empty body means no params.
 */
function dress(body: Uint8Array, rpcMethod: string): Uint8Array {
  const params = readParams(body);
  if (params === 'array') return NO_MESSAGES;
  if (params === undefined) return body;
  return Buffer.from(`{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(rpcMethod)},"params":${params}}`);
}

/** The text of a JSON object, or that it is none but an array. */
function readParams(body: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    const document = text.replace(/^\uFEFF/, '');
    if (/^[ \t\r\n]*$/.test(document)) return '{}';
    const value = parseJson(text);
    if (Array.isArray(value)) return 'array';
    return isObject(value) ? document : undefined;
  } catch {
    return undefined;
  }
}
