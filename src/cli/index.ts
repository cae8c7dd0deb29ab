#!/usr/bin/env node
/** The command line. Every command but those that look at files speaks to a running hub through its admin API. */
import type { Cli } from './cli.js';
import { runCli } from './run-cli.js';
import { createTerminal } from './terminal/terminal.js';

// Whoever reads our output may stop reading, as `head` does. That ends a command, but not a hub.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  if (process.argv[2] !== 'serve') process.exit(0);
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
