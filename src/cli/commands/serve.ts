import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Flags } from '../../app/index.js';
import type { Cli } from '../cli.js';
import { serveHub } from '../serve-hub.js';

/** `crosspoint serve`: the hub in the foreground until it is told to stop. */
export function addServeCommand(program: Command, cli: Cli): void {
  program
    .command('serve')
    .description('Run the hub until it is stopped with Ctrl-C or SIGTERM')
    .option(
      '--config <file>',
      'configuration file (or CROSSPOINT_CONFIG; default: crosspoint.yaml in this folder)',
    )
    .option(
      '--data <folder>',
      'folder for database, keys and tokens (or CROSSPOINT_DATA; default: .crosspoint)',
    )
    .option('--host <host>', 'address to listen on (or CROSSPOINT_HOST; default: 127.0.0.1)')
    .option(
      '--port <port>',
      'port to listen on, 0 for a free one (or CROSSPOINT_PORT; default: 8080)',
      toPort,
    )
    .option(
      '--workers <number>',
      'processes that share the port (or CROSSPOINT_WORKERS; default: 1)',
      toWorkers,
    )
    .addOption(new Option('--log-format <format>', 'how log lines look').choices(['pretty', 'json']))
    .addOption(
      new Option('--log-level <level>', 'what is logged').choices(['debug', 'info', 'warn', 'error']),
    )
    .option('--json', 'the same as --log-format json')
    .addHelpText(
      'after',
      '\nExamples:\n  crosspoint serve\n  crosspoint serve --config crosspoint.yaml --data /var/lib/crosspoint --port 9000',
    )
    .action(({ json, ...flags }: Flags & { readonly json?: boolean }) =>
      serveHub(cli, json === true ? { logFormat: 'json', ...flags } : flags),
    );
}

function toPort(text: string): number {
  const port = Number(text);
  if (text.trim() === '' || !Number.isInteger(port) || port < 0 || port > 65_535)
    throw new InvalidArgumentError('It must be a number from 0 to 65535.');
  return port;
}

function toWorkers(text: string): number {
  const workers = Number(text);
  if (text.trim() === '' || !Number.isInteger(workers) || workers < 1 || workers > 64)
    throw new InvalidArgumentError('It must be a number from 1 to 64.');
  return workers;
}
