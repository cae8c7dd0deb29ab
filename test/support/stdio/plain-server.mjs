// A server of the handshake era over stdio, written without any library. With a path as argument it notes every call it
// carries out there, before it answers.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [ledger] = process.argv.slice(2);
const schema = { type: 'object' };
const tools = ['echo', 'where', 'env', 'crash', 'slow'].map((name) => ({ name, inputSchema: schema }));
const text = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });

const calls = {
  echo: (args) => text(args),
  where: () => text({ pid: process.pid, cwd: process.cwd(), argv: process.argv.slice(2) }),
  env: () => text(process.env),
  crash: () => process.exit(3),
  slow: (args) => new Promise((resolve) => setTimeout(() => resolve(text(args)), args.ms ?? 1000)),
};

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'plain', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name, arguments: args = {} }) => {
    if (ledger !== undefined) appendFileSync(ledger, `${JSON.stringify({ name, args })}\n`);
    return calls[name](args);
  },
};

process.stderr.write('plain server ready\n');
createInterface({ input: process.stdin }).on('line', (line) => void answer(line));

async function answer(line) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const outcome = Object.hasOwn(methods, method)
    ? { result: await methods[method](params ?? {}) }
    : { error: { code: -32_601, message: 'Method not found' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
}
