import type { ServerResponse } from 'node:http';
import { startUpstream } from '../test/support/scripted-upstream.js';
import { endlessly, NOTICE, SLOW_MS, withNotices } from './isolation-floods.js';

/**
 * An upstream in a process of its own, with a tool for each kind of trouble. Writes its address. As `server_stream` or
 * `server_torrent` it pours notifications on whoever listens, as fast as they are taken.
 */

const [kind] = process.argv.slice(2);
const FINE = { content: [{ type: 'text', text: 'fine' }] };
const PIECE_BYTES = 1_000;
const SSE = { 'content-type': 'text/event-stream' };
const toEvent = (text: string): string => `event: message\ndata: ${text}\n\n`;

/** What comes before the answer to each call. */
const BEFORE: Readonly<Record<string, string>> = {
  busy: '',
  floods: withNotices(toEvent),
  pieces: withNotices(toEvent),
  comments: ': x\n'.repeat(12_000),
  changes: withNotices(() => toEvent('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}')),
  unknown: withNotices(() => toEvent('{"jsonrpc":"2.0","method":"notifications/x","params":{"a":[1,2,{}]}}')),
  large: toEvent(NOTICE.replace('"x"', `"${'x'.repeat(200_000)}"`)),
};

/** What comes on the standing stream. */
const STANDING: Readonly<Record<string, string | undefined>> = {
  server_stream: withNotices(toEvent),
  server_torrent: BEFORE['large'],
};

/** In many small writes, each of which arrives alone. */
function inPieces(response: ServerResponse, text: string): void {
  let at = 0;
  const next = (): void => {
    response.write(text.slice(at, at + PIECE_BYTES));
    at += PIECE_BYTES;
    if (at < text.length) setImmediate(next);
    else response.end();
  };
  response.socket?.setNoDelay(true);
  next();
}

const upstream = await startUpstream({
  tools: ['fine', 'hangs', 'slow', 'pours', ...Object.keys(BEFORE)].map((name) => ({
    name,
    inputSchema: { type: 'object' },
  })),
  intercept: ({ httpMethod }, response) => {
    const flood = STANDING[kind ?? ''];
    if (flood === undefined || httpMethod !== 'GET') return false;
    endlessly(response.writeHead(200, SSE), flood);
    return true;
  },
  call: (name, _args, { rpc }, response) => {
    if (name === 'hangs') return new Promise(() => {});
    if (name === 'slow') return new Promise((resolve) => setTimeout(() => resolve(FINE), SLOW_MS));
    if (name === 'pours') {
      endlessly(response.writeHead(200, SSE), withNotices(toEvent));
      return undefined;
    }
    const before = BEFORE[name];
    if (before === undefined) return FINE;
    const text = before + toEvent(JSON.stringify({ jsonrpc: '2.0', id: rpc.id, result: FINE }));
    response.writeHead(200, SSE);
    if (name === 'pieces') inPieces(response, text);
    else response.end(text);
    return undefined;
  },
});
console.log(upstream.url);
