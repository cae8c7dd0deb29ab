/** What Node itself costs: bodies go through unread, nothing is checked. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Pool } from 'undici';
import { serveOn, upstreamUrl } from './port.js';

const upstream = upstreamUrl();
const pool = new Pool(upstream.origin, { connections: 64, pipelining: 1 });
const HOP_BY_HOP = new Set(['connection', 'host', 'keep-alive', 'content-length', 'transfer-encoding']);

function forward(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  const headers: string[] = [];
  for (const [name, value] of Object.entries(request.headers)) {
    if (!HOP_BY_HOP.has(name)) headers.push(name, String(value));
  }
  const chunks: Buffer[] = [];
  pool.dispatch(
    { path: upstream.pathname, method: 'POST', headers, body },
    {
      onRequestStart() {},
      onResponseStart(_, status, received) {
        const kept = ['content-type', 'mcp-session-id'].flatMap((name) => {
          const value = received[name];
          return value === undefined ? [] : [name, String(value)];
        });
        const length = received['content-length'];
        response.writeHead(status, length === undefined ? kept : [...kept, 'content-length', String(length)]);
      },
      onResponseData(_, chunk) {
        chunks.push(chunk);
      },
      onResponseEnd() {
        response.end(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
      },
      onResponseError() {
        response.destroy();
      },
    },
  );
}

serveOn(
  createServer({ noDelay: true }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () =>
      forward(request, response, chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)),
    );
  }),
);
