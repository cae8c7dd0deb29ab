// Peers that do not go, do not listen or do not talk. Each is named on the command line.
import { closeSync } from 'node:fs';

const stay = () => setInterval(() => {}, 60_000);
const hello = () => process.stdout.write('{"jsonrpc":"2.0","method":"hello"}\n');

const kinds = {
  /** Notices neither the end of its input nor a polite signal. */
  'ignore-sigterm': () => {
    process.on('SIGTERM', () => {});
    process.stdin.resume();
    hello();
    stay();
  },
  'ignore-eof': () => {
    process.stdin.resume();
    hello();
    stay();
  },
  'never-reads': () => {
    hello();
    stay();
  },
  'closes-input': () => {
    closeSync(0);
    hello();
    stay();
  },
  'closes-output': () => {
    process.stdin.resume();
    closeSync(1);
    stay();
  },
  'exits-at-once': () => {
    process.stderr.write('cannot start: no licence\n');
    process.exitCode = 1;
  },
};

kinds[process.argv[2]]();
