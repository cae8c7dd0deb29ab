import { startUpstream } from '../test/support/scripted-upstream.js';

/** An upstream in a process of its own, with a tool for each kind of trouble. Writes its address. */

const FINE = { content: [{ type: 'text', text: 'fine' }] };
const FLOOD = `event: message\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n\n`;
const FLOODS = FLOOD.repeat(500);
const SLOW_MS = 1_000;

const upstream = await startUpstream({
  tools: ['fine', 'hangs', 'slow', 'floods'].map((name) => ({ name, inputSchema: { type: 'object' } })),
  call: (name, _args, { rpc }, response) => {
    if (name === 'hangs') return new Promise(() => {});
    if (name === 'slow') return new Promise((resolve) => setTimeout(() => resolve(FINE), SLOW_MS));
    if (name !== 'floods') return FINE;
    const answer = JSON.stringify({ jsonrpc: '2.0', id: rpc.id, result: FINE });
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(`${FLOODS}event: message\ndata: ${answer}\n\n`);
    return undefined;
  },
});
console.log(upstream.url);
