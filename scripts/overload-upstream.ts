import { createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * An upstream in a process of its own that costs as little as it can, so that the hub before it is what has too much to do. Its answers
 * cost a hub more to read than it costs to ask for them. Writes its address.
 */

const content = Array.from({ length: 150 }, (_, n) => ({ type: 'text', text: `line ${n} of the answer` }));
const RESULTS: Readonly<Record<string, string>> = {
  initialize: JSON.stringify({
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'overload', version: '1' },
  }),
  'tools/list': JSON.stringify({ tools: [{ name: 'read', inputSchema: { type: 'object' } }] }),
  'tools/call': JSON.stringify({ content }),
  ping: '{}',
};
const ID = /"id":(\d+|"[^"]*")/;
const METHOD = /"method":"([^"]*)"/;
const UNKNOWN = '"error":{"code":-32601,"message":"Method not found"}';

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ';
const LENGTH = /content-length: *(\d+)/i;

/** Requests of one connection, one after another. The hub sends them in whole; what else may come is for real servers. */
function serve(socket: Socket): void {
  let text = '';
  socket.setNoDelay(true).setEncoding('latin1');
  socket.on('error', () => socket.destroy());
  socket.on('data', (piece: string) => {
    text += piece;
    for (;;) {
      const end = text.indexOf('\r\n\r\n');
      if (end === -1) return;
      const whole = end + 4 + Number(LENGTH.exec(text.slice(0, end))?.[1] ?? '0');
      if (text.length < whole) return;
      socket.write(answerTo(text.slice(0, whole)), 'latin1');
      text = text.slice(whole);
    }
  });
}

function answerTo(request: string): string {
  if (!request.startsWith('POST')) return 'HTTP/1.1 405 Method Not Allowed\r\ncontent-length: 0\r\n\r\n';
  const id = ID.exec(request)?.[1];
  if (id === undefined) return 'HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n';
  const result = RESULTS[METHOD.exec(request)?.[1] ?? ''];
  const answer = result === undefined ? UNKNOWN : `"result":${result}`;
  const body = `{"jsonrpc":"2.0","id":${id},${answer}}`;
  return `${HEAD}${body.length}\r\n\r\n${body}`;
}

const server = createServer(serve);
server.listen(0, '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
);
