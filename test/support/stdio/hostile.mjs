// A server over stdio that breaks the rules in the way its first argument says. Its tool `fine` behaves; `bad` does not.
// Calls are noted in the file that is the second argument before anything else happens.
import { spawn } from 'node:child_process';
import { appendFileSync, closeSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [mode = '', ledger] = process.argv.slice(2);
const schema = { type: 'object' };
const text = (value) => ({
  content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }],
});
const write = (line) => process.stdout.write(line);
const answerWith = (id, result) => write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
const stay = () => setInterval(() => {}, 60_000);

if (mode === 'exit-0') process.exit(0);
if (mode === 'exit-1') {
  process.stderr.write(`cannot open the database with ${process.env.SECRET ?? 'nothing'}\n`);
  process.exit(1);
}
if (mode === 'garbage-first') write('Welcome to the server!\n\n{"half": \n[1,2\n');
if (mode === 'ignore-sigterm') process.on('SIGTERM', () => {});
if (mode === 'ignore-sigterm') stay();
if (mode === 'stderr-flood') {
  const flood = () => process.stderr.write('x'.repeat(65_536) + '\n', flood);
  flood();
}
if (mode === 'grandchild')
  spawn(process.execPath, ['-e', "process.on('SIGTERM',()=>{});setInterval(()=>{},1e3)", ledger], {
    stdio: 'ignore',
  });

/** What `bad` does with the id of its request. */
const misdeeds = {
  'crash-on-call': () => process.exit(3),
  'segv-on-call': () => process.kill(process.pid, 'SIGSEGV'),
  'garbage-between': (id) => {
    write('not json\n{"jsonrpc":"1.0"}\n\u0000\u0001\n');
    answerWith(id, text('after garbage'));
  },
  'bad-lines': () => write('no message\n'.repeat(1_001)),
  'partial-line': () => process.stdout.write('{"jsonrpc":"2.0","id":', () => process.exit(0)),
  'no-newline-flood': () => {
    const flood = () => process.stdout.write('x'.repeat(65_536), flood);
    flood();
  },
  'huge-line': (id) => answerWith(id, text('x'.repeat(2_000_000))),
  'stdout-flood': (id) => {
    const note = JSON.stringify({
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { level: 'info', data: 'x' },
    });
    write(`${note}\n`.repeat(20_000));
    answerWith(id, text('after the flood'));
  },
  'wrong-id': () => answerWith('another', text('not yours')),
  both: (id) =>
    write(`${JSON.stringify({ jsonrpc: '2.0', id, result: {}, error: { code: 1, message: '' } })}\n`),
  neither: (id) => write(`${JSON.stringify({ jsonrpc: '2.0', id })}\n`),
  'no-jsonrpc': (id) => write(`${JSON.stringify({ id, result: text('almost') })}\n`),
  'dup-response': (id) => {
    answerWith(id, text('first'));
    answerWith(id, text('second'));
  },
  unsolicited: (id) => {
    answerWith(999_999, text('not yours'));
    answerWith(id, text('true answer'));
  },
  hang: () => {},
  'close-stdout': () => closeSync(1),
  'stop-reading': () => process.stdin.pause(),
  'memory-hog': () => {
    const held = [];
    setInterval(() => held.push(Buffer.alloc(16_777_216, 1)), 20);
  },
  'cpu-hog': () => {
    for (;;);
  },
  'process-hog': () => {
    for (let n = 0; n < 4; n++) spawn('sleep', ['60'], { stdio: 'ignore' });
  },
  env: (id) => answerWith(id, text({ env: process.env, cwd: process.cwd() })),
};

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, logging: {} },
    serverInfo: { name: 'hostile', version: '1' },
  }),
  ping: () => ({}),
  'logging/setLevel': () => ({}),
  'tools/list': () => ({ tools: ['fine', 'bad'].map((name) => ({ name, inputSchema: schema })) }),
  'tools/call': () => text({ pid: process.pid }),
};

createInterface({ input: process.stdin }).on('line', answer);

function answer(line) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'initialize' && mode === 'exit-on-init') process.exit(7);
  if (method === 'initialize' && mode === 'hang-init') return;
  if (method === 'tools/call' && ledger !== undefined) appendFileSync(ledger, `${mode} ${params.name}\n`);
  const misdeed = method === 'tools/call' && params.name === 'bad' ? misdeeds[mode] : undefined;
  if (misdeed !== undefined) {
    misdeed(id);
    return;
  }
  const outcome = Object.hasOwn(methods, method)
    ? { result: methods[method](params) }
    : { error: { code: -32_601, message: 'Method not found' } };
  const delay = method === 'initialize' && mode === 'slow-init' ? 700 : 0;
  setTimeout(() => write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`), delay);
}
