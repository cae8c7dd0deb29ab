import type { ImportedServer } from '../app/index.js';
import { printJson, type Cli, type OutputOptions } from './cli.js';
import { escapeLine } from './terminal/escape-text.js';
import { count } from './terminal/format.js';

/** What would be done. Secrets are named, never shown. */
export function printPlan(cli: Cli, options: OutputOptions, plan: readonly ImportedServer[]): void {
  if (options.json === true) return printJson(cli, plan);
  if (plan.length === 0) return cli.terminal.print('There are no servers in it.');
  cli.terminal.table(
    ['SERVER', 'WOULD GO TO', 'SECRETS', 'ADDRESS'],
    plan.map((server) => [
      server.name,
      targetOf(server),
      secretsOf(server).join(', ') || '-',
      addressOf(server),
    ]),
    [cli.terminal.colors.cyan],
  );
  printNotes(cli, plan);
  const usable = plan.filter(({ kind }) => kind !== 'unusable').length;
  cli.terminal.note(`\n${count(usable, 'server')} would be imported. Nothing was changed.`);
}

/** What a person should know of each. */
export function printNotes(cli: Cli, plan: readonly ImportedServer[]): void {
  for (const server of plan) {
    const lines = server.kind === 'unusable' ? [`cannot be imported: ${server.reason}`] : server.notes;
    for (const line of lines)
      cli.terminal.note(`${cli.terminal.noteColors.cyan(escapeLine(server.name))}: ${escapeLine(line)}`);
  }
}

/** The names of its secrets. */
function secretsOf(server: ImportedServer): readonly string[] {
  if (server.kind === 'local') return Object.keys(server.variables);
  if (server.kind === 'unusable' || server.credential === undefined) return [];
  const { token, value, headers } = server.credential;
  return [
    ...(token === undefined ? [] : ['bearer token']),
    ...(value === undefined ? [] : ['API key']),
    ...Object.keys(headers ?? {}),
  ];
}

function targetOf({ kind }: ImportedServer): string {
  if (kind === 'unusable') return 'nowhere';
  return kind === 'remote' ? 'the hub' : 'configuration file';
}

function addressOf(server: ImportedServer): string {
  if (server.kind === 'unusable') return '';
  const { url, command, args = [] } = server.connector;
  return url === undefined ? [command, ...args].join(' ') : new URL(url).origin + new URL(url).pathname;
}
