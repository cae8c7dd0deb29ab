import { Option, type Command } from 'commander';
import { addHubCommand, collect } from '../add-command.js';
import type { Cli, OutputOptions } from '../cli.js';
import { carryOutImport } from '../import-servers.js';
import { CLIENT_NAMES, readPlan, type SourceOptions } from '../import-source.js';
import { printPlan } from '../import-text.js';
import type { OperatorFileOptions } from '../operator-file.js';

type Options = OperatorFileOptions & OutputOptions & SourceOptions;

export function addImportCommand(program: Command, cli: Cli): void {
  addHubCommand(program, {
    usage: 'import [file]',
    summary: 'Take over the servers of another program; secrets go to the vault, never into a file',
    examples: [
      'crosspoint import --from claude-code --dry-run',
      'crosspoint import --from cursor',
      'crosspoint import ./mcp.json --only github',
    ],
  })
    .addOption(new Option('--from <client>', 'the program whose files to read').choices(CLIENT_NAMES))
    .option('--dry-run', 'only show what would be done; no hub is needed')
    .option('--only <name>', 'only this server (repeatable)', collect)
    .option(
      '--input-env <pair>',
      'ID=VARIABLE: the answer to an input of the file, from a variable (repeatable)',
      collect,
    )
    .option('--config <file>', 'configuration file to write commands to (default: that of the hub)')
    .action(async (file: string | undefined, options: Options) => {
      const plan = await readPlan(cli, file, options);
      if (options.dryRun === true) printPlan(cli, options, plan);
      else await carryOutImport(cli, options, plan);
    });
}
