import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { addAgentAddCommand } from './agent-add.js';
import { addAgentKeyCommands } from './agent-key.js';
import { addAgentListCommand } from './agent-list.js';
import { addAgentRemoveCommand } from './agent-remove.js';
import { addAgentShowCommand } from './agent-show.js';

export function addAgentCommands(program: Command, cli: Cli): void {
  const agent = program.command('agent').description('Add, look at and remove agents and their keys');
  addAgentAddCommand(agent, cli);
  addAgentListCommand(agent, cli);
  addAgentShowCommand(agent, cli);
  addAgentRemoveCommand(agent, cli);
  addAgentKeyCommands(agent, cli);
}
