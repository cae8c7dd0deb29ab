import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { addPolicyCheckCommand } from './policy-check.js';
import { addPolicyExplainCommand } from './policy-explain.js';
import { addPolicyListCommand } from './policy-list.js';
import { addPolicySaveCommands } from './policy-save.js';

export function addPolicyCommands(program: Command, cli: Cli): void {
  const policy = program.command('policy').description('Check, explain and change policies');
  addPolicyCheckCommand(policy, cli);
  addPolicyExplainCommand(policy, cli);
  addPolicyListCommand(policy, cli);
  addPolicySaveCommands(policy, cli);
}
