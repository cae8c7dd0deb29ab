import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { addConfigCheckCommand } from './config-check.js';
import { addConfigSchemaCommand } from './config-schema.js';
import { addConfigShowCommand } from './config-show.js';

export function addConfigCommands(program: Command, cli: Cli): void {
  const config = program.command('config').description('Check and show the configuration');
  addConfigCheckCommand(config, cli);
  addConfigShowCommand(config, cli);
  addConfigSchemaCommand(config, cli);
}
