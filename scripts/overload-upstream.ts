import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

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

const server = createServer((request, response) => {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  let text = '';
  request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  request.on('end', () => {
    const id = ID.exec(text)?.[1];
    if (id === undefined) return void response.writeHead(202).end();
    const result = RESULTS[METHOD.exec(text)?.[1] ?? ''];
    const answer = result === undefined ? UNKNOWN : `"result":${result}`;
    const body = `{"jsonrpc":"2.0","id":${id},${answer}}`;
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
      .end(body);
  });
});
server.listen(0, '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
);
