import { Option, type Command } from 'commander';
import { addCommand, collect } from '../add-command.js';
import { addRemoteConnector, addStdioConnector, type AddOptions } from '../add-connector.js';
import { usageError } from '../cli-error.js';
import type { Cli } from '../cli.js';

export function addConnectorAddCommand(parent: Command, cli: Cli): void {
  addCommand(parent, {
    usage: 'add <id> [command...]',
    summary: 'Add an upstream: a remote one by its address, a local one by its command',
    examples: [
      'crosspoint connector add docs --url https://mcp.example.com/mcp',
      'crosspoint connector add tracker --url https://mcp.example.com/mcp --bearer-env TRACKER_TOKEN',
      'crosspoint connector add files -- npx -y @modelcontextprotocol/server-filesystem /srv/files',
    ],
  })
    .option('--url <url>', 'address of the upstream')
    .option(
      '--header <header>',
      '"Name: value" to send; ${env:VAR} in it is read from here (repeatable)',
      collect,
    )
    .option('--bearer-env <variable>', 'variable that holds a bearer token')
    .option('--api-key-env <variable>', 'variable that holds an API key')
    .option('--api-key-header <name>', 'header for the API key (default: X-API-Key)')
    .option('--oauth', 'the upstream wants an OAuth sign-in')
    .addOption(
      new Option('--credential-mode <mode>', 'whose credential is used').choices([
        'none',
        'shared',
        'per_agent',
      ]),
    )
    .addOption(new Option('--era <era>', 'protocol era to speak').choices(['auto', 'legacy', 'modern']))
    .addOption(new Option('--transport <transport>', 'how to reach it').choices(['streamable_http', 'sse']))
    .option('--agent <agent>', 'with per_agent: whose credential this is')
    .option('--name <name>', 'name for people')
    .option(
      '--env <pair>',
      'NAME=VALUE for the command, or NAME to take it from the hub (repeatable)',
      collect,
    )
    .option('--cwd <folder>', 'folder to run the command in')
    .option('--pin', 'start the command only while it and the scripts it names are what they are now')
    .option('--no-sync', 'do not fetch what it offers')
    .option('--config <file>', 'configuration file to write a command to (default: that of the hub)')
    .option('--hub-url <url>', 'address of the hub (or CROSSPOINT_URL; default: the hub of the data folder)')
    .option('--token <token>', 'admin token (better in CROSSPOINT_ADMIN_TOKEN)')
    .option('--data <folder>', 'data folder of the hub (or CROSSPOINT_DATA; default: .crosspoint)')
    .action((id: string, command: string[], options: AddOptions) => {
      if (options.url !== undefined && command.length > 0)
        throw usageError('give either --url or a command, not both');
      if (options.url !== undefined) return addRemoteConnector(cli, id, options.url, options);
      if (command.length > 0) return addStdioConnector(cli, id, command, options);
      throw usageError('nothing to add', 'Give the address with --url, or the command behind "--".');
    });
}
