import { parseJson, stringifyJson, TOLERANT_JSON, type JsonObject } from '../../src/mcp/jsonrpc/index.js';

/** What came back for one request, as it stood on the wire. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The message with the request's id; undefined if there was none. */
  readonly message: JsonObject | undefined;
  /** What was sent before it. */
  readonly before: readonly JsonObject[];
}

export interface RawAgent {
  readonly session: string | undefined;
  request(
    method: string,
    params?: JsonObject,
    headers?: Readonly<Record<string, string>>,
  ): Promise<RawAnswer>;
  notify(method: string, params?: JsonObject): Promise<number>;
}

export interface RawAgentOptions {
  readonly url: string;
  readonly key?: string;
  readonly era: 'legacy' | 'modern';
  readonly revision?: string;
  readonly capabilities?: JsonObject;
}

const INFO = { name: 'raw', version: '1' };
/** Which parameter stands in the routing header. */
const NAMES: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** A client that is nothing but HTTP requests: it hides nothing and adds nothing. */
export async function openRawAgent({
  url,
  key,
  era,
  revision,
  capabilities = {},
}: RawAgentOptions): Promise<RawAgent> {
  let session: string | undefined;
  let nextId = 0;
  const version = revision ?? (era === 'modern' ? '2026-07-28' : '2025-11-25');

  function headersFor(method: string, params: JsonObject): Record<string, string> {
    const name = params[NAMES[method] ?? ''];
    return {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(session !== undefined && { 'mcp-session-id': session }),
      ...(method !== 'initialize' && { 'mcp-protocol-version': version }),
      ...(era === 'modern' && {
        'mcp-method': method,
        ...(typeof name === 'string' && { 'mcp-name': name }),
      }),
    };
  }

  const envelope = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': INFO,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };

  async function post(
    method: string,
    params: JsonObject,
    id: number | undefined,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const meta = { ...(params['_meta'] as JsonObject | undefined), ...(era === 'modern' && envelope) };
    const whole = Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
    const message = { jsonrpc: '2.0', ...(id !== undefined && { id }), method, params: whole };
    return fetch(url, {
      method: 'POST',
      headers: { ...headersFor(method, params), ...more },
      body: stringifyJson(message),
      signal: AbortSignal.timeout(60_000),
    });
  }

  async function request(
    method: string,
    params: JsonObject = {},
    more?: Readonly<Record<string, string>>,
  ): Promise<RawAnswer> {
    const id = nextId++;
    const answer = await post(method, params, id, more);
    session ??= answer.headers.get('mcp-session-id') ?? undefined;
    const messages = readMessages(await answer.text());
    const at = messages.findIndex((message) => message['id'] === id && message['method'] === undefined);
    return {
      status: answer.status,
      headers: answer.headers,
      message: messages[at],
      before: messages.slice(0, Math.max(0, at)),
    };
  }

  async function notify(method: string, params: JsonObject = {}): Promise<number> {
    const { status } = await post(method, params, undefined);
    return status;
  }

  if (era === 'legacy') {
    await request('initialize', { protocolVersion: version, capabilities, clientInfo: INFO });
    await notify('notifications/initialized');
  }
  return {
    get session() {
      return session;
    },
    request,
    notify,
  };
}

/** Of a JSON document or an event stream. */
function readMessages(text: string): JsonObject[] {
  const documents = text.startsWith('{')
    ? [text]
    : text
        .split(/\r?\n\r?\n/)
        .map(dataOf)
        .filter((data) => data !== '');
  return documents.map((document) => parseJson(document, TOLERANT_JSON) as JsonObject);
}

function dataOf(event: string): string {
  return event
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trimStart())
    .join('\n');
}
