#!/usr/bin/env node
/** The command line. Every command but those that look at files speaks to a running hub through its admin API. */
import type { Cli } from './cli.js';
import { decideOutputEnd } from './output-failure.js';
import { runCli } from './run-cli.js';
import { createTerminal } from './terminal/terminal.js';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  const end = decideOutputEnd(error, process.argv[2]);
  if (end === undefined) return;
  if (end.note !== undefined) process.stderr.write(`${end.note}\n`);
  process.exit(end.exitCode);
});
process.stderr.on('error', () => {});

const { stdin, stdout, stderr, env: environment } = process;
const cli: Cli = {
  terminal: createTerminal({ stdin, stdout, stderr, environment }),
  environment,
  folder: process.cwd(),
  stdin,
  setExitCode: (code) => {
    process.exitCode = code;
  },
};
await runCli(cli, process.argv.slice(2));
