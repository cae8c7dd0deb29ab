import type { Command } from 'commander';
import { ADMIN_ROUTES } from '../../contract/index.js';
import { addHubCommand } from '../add-command.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import type { HubOptions } from '../hub-address.js';
import { withHub } from '../with-hub.js';

export function addAgentListCommand(parent: Command, cli: Cli): void {
  addHubCommand(parent, {
    usage: 'list',
    summary: 'All agents',
    examples: ['crosspoint agent list'],
  }).action((options: HubOptions & OutputOptions) =>
    withHub(cli, options, async (hub) => {
      const agents = await hub.list(ADMIN_ROUTES.agents.list, {});
      show(cli, options, agents, () =>
        cli.terminal.table(
          ['ID', 'NAME', 'STATE', 'SOURCE', 'TAGS'],
          agents.map(({ id, name, enabled, source, tags }) => [
            id,
            name,
            enabled ? 'enabled' : 'disabled',
            source.replace('_', '-'),
            tags.join(', '),
          ]),
          [cli.terminal.colors.cyan],
        ),
      );
    }),
  );
}
