// A server of the handshake era over a pipe. `ask` puts a form to the client and answers with what came back, once as
// many calls are under way as `crowd` says. It tells on stderr nothing, and in its answers which process it is.
import { createInterface } from 'node:readline';

const calls = new Map();
const questions = new Map();
let asked = 0;

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

function ask(id, label) {
  const question = `q${++asked}`;
  questions.set(question, id);
  const requestedSchema = { type: 'object', properties: { word: { type: 'string' } } };
  send({
    id: question,
    method: 'elicitation/create',
    params: { message: `form for ${label}`, requestedSchema },
  });
}

const results = {
  initialize: ({ params }) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'asking', version: '1' },
  }),
  'tools/list': () => ({ tools: [{ name: 'ask', inputSchema: { type: 'object' } }] }),
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  const { id, method } = message;
  if (method === 'tools/call') {
    const { label, crowd = 1 } = message.params.arguments;
    calls.set(id, label);
    if (calls.size >= crowd) for (const [call, name] of calls) ask(call, name);
  } else if (method === undefined) {
    const call = questions.get(id);
    const text = JSON.stringify({
      label: calls.get(call),
      answer: message.result ?? message.error,
      pid: process.pid,
    });
    calls.delete(call);
    send({ id: call, result: { content: [{ type: 'text', text }] } });
  } else if (id !== undefined) {
    const result = results[method]?.(message);
    send(
      result === undefined ? { id, error: { code: -32601, message: 'Method not found' } } : { id, result },
    );
  }
});
