import type { Command } from 'commander';
import { ADMIN_ROUTES } from '../../contract/index.js';
import { addHubCommand } from '../add-command.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import type { HubOptions } from '../hub-address.js';
import { withHub } from '../with-hub.js';

export function addAgentRemoveCommand(parent: Command, cli: Cli): void {
  addHubCommand(parent, {
    usage: 'remove <id>',
    summary: 'Remove an agent with its keys and credentials',
    examples: ['crosspoint agent remove ci'],
  }).action((id: string, options: HubOptions & OutputOptions) =>
    withHub(cli, options, async (hub) => {
      await hub.ask(ADMIN_ROUTES.agents.remove, { path: { id } });
      show(cli, options, { id, removed: true }, () => cli.terminal.print(`Removed the agent ${id}.`));
    }),
  );
}
