// A well-behaved peer: answers every request with its params, and a few methods with something else.
import { createInterface } from 'node:readline';
import { readdirSync } from 'node:fs';

const answers = {
  env: () => process.env,
  where: () => ({ cwd: process.cwd(), argv: process.argv.slice(2), pid: process.pid }),
  fds: () => readdirSync('/proc/self/fd'),
  exit: ({ code }) => process.exit(code),
  segv: () => process.kill(process.pid, 'SIGSEGV'),
  farewell: () => {
    process.stdout.write('{"jsonrpc":"2.0","method":"last words"}');
    process.stderr.write('going down\n');
    process.exitCode = 4;
    lines.close();
    process.stdin.destroy();
    return undefined;
  },
  silence: () => undefined,
};

const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
lines.on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const result = Object.hasOwn(answers, method) ? answers[method](params ?? {}) : params;
  if (id !== undefined && result !== undefined) {
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
  }
});
