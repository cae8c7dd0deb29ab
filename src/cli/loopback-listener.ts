import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { randomToken } from '../kernel/index.js';

/** A place on this machine to which a browser brings one thing. */
export interface LoopbackListener {
  readonly url: string;
  /** The first proper one; `answer` shows the person how it went. */
  readonly brought: Promise<{ readonly confirmation: string; answer(text: string): void }>;
  close(): Promise<void>;
}

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  connection: 'close',
};
/** For an answer to leave. */
const ANSWER_MS = 500;
const CONFIRMATION = /^[\w-]{16,128}$/;

/** On a free port of 127.0.0.1, at a path nobody can guess. */
export async function openLoopbackListener(): Promise<LoopbackListener> {
  const path = `/${randomToken(16)}`;
  let bring: (brought: Awaited<LoopbackListener['brought']>) => void = () => {};
  const brought = new Promise<Awaited<LoopbackListener['brought']>>((resolve) => (bring = resolve));
  const server = createServer((request, response) => {
    const confirmation = readConfirmation(request, path);
    if (confirmation === undefined) return void response.writeHead(404, HEADERS).end();
    bring({ confirmation, answer: (text) => show(response, text) });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}${path}`,
    brought,
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      // Browsers open connections in store, and may ask twice: nobody waits for these.
      const late = setTimeout(() => server.closeAllConnections(), ANSWER_MS);
      await closed;
      clearTimeout(late);
    },
  };
}

function readConfirmation({ method, url = '' }: IncomingMessage, path: string): string | undefined {
  if (method !== 'GET' || !url.startsWith(`${path}?`)) return undefined;
  const confirmation = new URLSearchParams(url.slice(path.length)).get('confirmation') ?? '';
  return CONFIRMATION.test(confirmation) ? confirmation : undefined;
}

/** Only words of ours are shown. */
function show(response: ServerResponse, text: string): void {
  const safe = text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  response
    .writeHead(200, HEADERS)
    .end(`<!doctype html><title>Crosspoint</title><p>${safe}</p><p>You can close this window.</p>`);
}
