// A server of the handshake era over a pipe that tells which process it is: in the answer to `whose`, with how many calls
// it had before, and as a completion. `touch` changes its resource, which whoever subscribed in this process hears.
// `hold` logs its label and goes on until `let_go` is called; then it logs it again.
import { createInterface } from 'node:readline';

const held = new Map();
let calls = 0;
let isWatched = false;

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const log = (data) => send({ method: 'notifications/message', params: { level: 'info', data } });
const text = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });

const tools = {
  whose: () => text({ pid: process.pid, before: calls++ }),
  touch: () => {
    if (isWatched) send({ method: 'notifications/resources/updated', params: { uri: 'tell://state' } });
    return text({ isWatched });
  },
  hold: ({ label }, id) => {
    log(label);
    held.set(id, label);
  },
  let_go: () => {
    for (const [id, label] of held) {
      log(label);
      send({ id, result: text({ label }) });
    }
    held.clear();
    return text({});
  },
};

const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, prompts: {}, resources: { subscribe: true }, completions: {}, logging: {} },
    serverInfo: { name: 'telling', version: '1' },
    instructions: 'Only for those who may use it.',
  }),
  'tools/list': () => ({
    tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })),
  }),
  'prompts/list': () => ({ prompts: [{ name: 'p', arguments: [{ name: 'a' }] }] }),
  'resources/list': () => ({ resources: [{ uri: 'tell://state', name: 'state' }] }),
  'resources/subscribe': () => {
    isWatched = true;
    return {};
  },
  'resources/unsubscribe': () => {
    isWatched = false;
    return {};
  },
  'completion/complete': () => ({ completion: { values: [String(process.pid)] } }),
  'logging/setLevel': () => ({}),
  'tools/call': ({ name, arguments: args }, id) => tools[name](args ?? {}, id),
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || method === undefined) return;
  if (results[method] === undefined)
    return send({ id, error: { code: -32601, message: 'Method not found' } });
  const result = results[method](params ?? {}, id);
  if (result !== undefined) send({ id, result });
});
