import type { Command } from 'commander';
import { ADMIN_ROUTES } from '../../contract/index.js';
import { addHubCommand } from '../add-command.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import type { HubOptions } from '../hub-address.js';
import { formatMoment, renderFields } from '../terminal/format.js';
import { withHub } from '../with-hub.js';

export function addAgentShowCommand(parent: Command, cli: Cli): void {
  addHubCommand(parent, {
    usage: 'show <id>',
    summary: 'One agent and its keys; the keys themselves are not kept',
    examples: ['crosspoint agent show ci'],
  }).action((id: string, options: HubOptions & OutputOptions) =>
    withHub(cli, options, async (hub) => {
      const agent = await hub.ask(ADMIN_ROUTES.agents.get, { path: { id } });
      show(cli, options, agent, () => {
        cli.terminal.print(
          renderFields([
            ['ID', agent.id],
            ['Name', agent.name],
            ['State', agent.enabled ? 'enabled' : 'disabled'],
            ['Tags', agent.tags.join(', ')],
            ['Source', agent.source.replace('_', '-')],
            ['Since', formatMoment(agent.createdAt)],
          ]),
        );
        if (agent.keys.length === 0)
          cli.terminal.print(`\nIt has no key. Make one with "crosspoint agent key add ${agent.id}".`);
        else cli.terminal.print('');
        const rows = agent.keys.map((key) => [
          key.id,
          `…${key.last4}`,
          formatMoment(key.createdAt),
          key.expiresAt === undefined ? 'never' : formatMoment(key.expiresAt),
        ]);
        if (rows.length > 0)
          cli.terminal.table(['KEY', 'ENDS IN', 'MADE', 'EXPIRES'], rows, [cli.terminal.colors.cyan]);
      });
    }),
  );
}
