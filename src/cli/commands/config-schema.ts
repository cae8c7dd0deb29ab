import type { Command } from 'commander';
import { addCommand } from '../add-command.js';
import { printJson, type Cli, type OutputOptions } from '../cli.js';

export function addConfigSchemaCommand(parent: Command, cli: Cli): void {
  addCommand(parent, {
    usage: 'schema',
    summary: 'Print the JSON Schema of the configuration file, for editors',
    examples: ['crosspoint config schema > crosspoint.schema.json'],
  }).action(async (options: OutputOptions) => {
    const { configJsonSchema } = await import('../../app/index.js');
    if (options.json === true) printJson(cli, configJsonSchema());
    else cli.terminal.print(JSON.stringify(configJsonSchema(), undefined, 2));
  });
}
