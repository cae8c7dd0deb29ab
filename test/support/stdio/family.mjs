// A launcher and its descendants. Announces their pids, then lives as its first argument says:
//   stay     until its input ends
//   go       exits on its own at the first line it reads, leaving its descendants behind
// Further arguments start one descendant each: `group` in the launcher's group, `session` in a session of its own,
// `deep` in a session of its own as a child of a child. All of them ignore SIGTERM and the end of input.
import { spawn } from 'node:child_process';

const [life, ...descendants] = process.argv.slice(2);
const self = process.argv[1];

if (life === 'descendant') {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 60_000);
  process.send({ pid: process.pid });
  process.disconnect();
} else if (life === 'middle') {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 60_000);
  const pids = await start('session');
  process.send({ pid: process.pid, more: pids });
  process.disconnect();
} else {
  const pids = (await Promise.all(descendants.map(start))).flat();
  const params = { pids };
  process.stdin.once('data', () => life === 'go' && process.exit(0));
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'family', params })}\n`);
}

function start(kind) {
  const child = spawn(process.execPath, [self, kind === 'deep' ? 'middle' : 'descendant'], {
    // Pipes of the launcher are held open, as a server under a package runner does.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached: kind !== 'group',
  });
  child.unref();
  return new Promise((resolve) => {
    child.once('message', ({ pid, more = [] }) => resolve([pid, ...more]));
  });
}
