import type { TestHub } from './start-hub.js';

export interface Sent {
  readonly method?: string;
  readonly path?: string;
  /** Null: none is shown. Default: that of `local`. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** One request to a hub as `curl` would send it. */
export async function sendPlain(
  hub: TestHub,
  { method = 'POST', path = '/mcp', key = hub.localKey, headers, body }: Sent,
) {
  const answer = await fetch(hub.url + path, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  const json = /^[[{]/.test(text) ? (JSON.parse(text) as Record<string, unknown>) : undefined;
  return { status: answer.status, headers: answer.headers, json };
}

export const rpc = (method: string, params: object = {}, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

export const initialize = (protocolVersion: string) =>
  rpc('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'curl', version: '8' } });

/** A session by nothing but its handshake: what was agreed on, and the header that names it. */
export async function openPlainSession(hub: TestHub, revision: string) {
  const { headers, json } = await sendPlain(hub, { body: initialize(revision) });
  const { protocolVersion } = (json?.['result'] ?? {}) as { protocolVersion?: string };
  return { revision: protocolVersion, headers: { 'mcp-session-id': headers.get('mcp-session-id') ?? '' } };
}
