import type { Command } from 'commander';
import { ADMIN_ROUTES } from '../../contract/index.js';
import { addHubCommand, collect } from '../add-command.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import type { HubOptions } from '../hub-address.js';
import { withHub } from '../with-hub.js';

interface Options extends HubOptions, OutputOptions {
  readonly name?: string;
  readonly tag?: readonly string[];
}

export function addAgentAddCommand(parent: Command, cli: Cli): void {
  addHubCommand(parent, {
    usage: 'add <id>',
    summary: 'Add an agent; it needs a key, and a policy that permits it something',
    examples: ['crosspoint agent add ci --name "Build server" --tag automation'],
  })
    .option('--name <name>', 'name for people')
    .option('--tag <tag>', 'for policies to go by (repeatable)', collect)
    .action((id: string, options: Options) =>
      withHub(cli, options, async (hub) => {
        const { name, tag } = options;
        const body = {
          id,
          ...(name !== undefined && { name }),
          ...(tag !== undefined && { tags: [...tag] }),
        };
        const agent = await hub.ask(ADMIN_ROUTES.agents.add, { body });
        show(cli, options, agent, () => {
          cli.terminal.print(`Added the agent ${id}.`);
          cli.terminal.note(`Make a key for it with "crosspoint agent key add ${id}".`);
          cli.terminal.note(
            `Without a policy it may do nothing; this permits everything: permit(principal == Agent::"${id}", action, resource);`,
          );
        });
      }),
    );
}
