import type { FetchContext } from './json-answer.js';

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

/** The challenge of a server nobody has spoken to yet. Undefined where it has none; whether it can be reached shows later. */
export async function probeChallenge(
  serverUrl: URL,
  { fetch, signal }: FetchContext,
): Promise<string | undefined> {
  try {
    const response = await fetch(serverUrl.href, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: PING,
      redirect: 'manual',
      signal,
    });
    await response.body?.cancel();
    return response.status === 401 ? (response.headers.get('www-authenticate') ?? undefined) : undefined;
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}
