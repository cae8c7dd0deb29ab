import type { Socket } from 'node:net';
import type { HttpLimits, HttpTimeouts, Outgoing } from '../../../src/mcp/transports/index.js';
import { hostBytes, open, outcomeOf, request, resultText } from './open.js';

export const KIB = 1024;
export const MIB = 1024 * KIB;
const LIMITS: Partial<HttpLimits> = { responseBytes: 64 * KIB, streamBytes: 256 * KIB };
export const SHORT: Partial<HttpTimeouts> = { firstByteMs: 150, idleMs: 150, totalMs: 450 };

export type ByteScript = (socket: Socket) => void;

export const ANSWER = resultText(1);
export const JSON_HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
export const SSE_HEAD =
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';

export function chunk(text: string | Buffer): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}

export const LAST_CHUNK = '0\r\n\r\n';

export const says =
  (...parts: (string | Buffer)[]): ByteScript =>
  (socket) => {
    for (const part of parts) socket.write(part);
  };

export const jsonBody = (body: string | Buffer, head = JSON_HEAD): ByteScript => {
  const bytes = Buffer.from(body);
  return says(`${head}Content-Length: ${bytes.length}\r\n\r\n`, bytes);
};

export const sse = (...events: (string | Buffer)[]): ByteScript =>
  says(SSE_HEAD, ...events.map(chunk), LAST_CHUNK);

/** Writes one piece after another until the peer has had enough. */
export function keepsSaying(head: string, piece: string | Buffer, everyMs: number): ByteScript {
  return (socket) => {
    socket.write(head);
    const timer = setInterval(() => socket.write(piece), everyMs);
    socket.on('close', () => clearInterval(timer));
  };
}

export const thenEnds =
  (script: ByteScript): ByteScript =>
  (socket) => {
    script(socket);
    socket.end();
  };

export const thenResets =
  (script: ByteScript): ByteScript =>
  (socket) => {
    script(socket);
    setTimeout(() => socket.resetAndDestroy(), 20);
  };

export const nothing: ByteScript = () => {};

export async function meet(
  script: ByteScript,
  options: { readonly timeouts?: Partial<HttpTimeouts>; readonly outgoing?: Outgoing } = {},
) {
  const server = await hostBytes(script);
  const opened = await open(server.url, { limits: LIMITS, timeouts: options.timeouts ?? {} });
  const start = performance.now();
  const outcome = await outcomeOf(opened.transport.send(options.outgoing ?? request(1)));
  const tookMs = performance.now() - start;
  return { ...opened, server, outcome, code: outcome === 'ok' ? 'ok' : outcome.code, tookMs };
}
