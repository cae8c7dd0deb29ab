import type { Command } from 'commander';
import { ADMIN_ROUTES } from '../../contract/index.js';
import { addHubCommand } from '../add-command.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import type { HubOptions } from '../hub-address.js';
import { escapeLine } from '../terminal/escape-text.js';
import { requireConnector } from '../find-connector.js';
import { withHub } from '../with-hub.js';

export function addConnectorLogsCommand(parent: Command, cli: Cli): void {
  addHubCommand(parent, {
    usage: 'logs <id>',
    summary: 'What the process of a connector said that is no message, and how it ended',
    examples: ['crosspoint connector logs files'],
  }).action((id: string, options: HubOptions & OutputOptions) =>
    withHub(cli, options, async (hub) => {
      const { command } = await requireConnector(hub, id);
      const { lines } = await hub.ask(ADMIN_ROUTES.connectors.logs, { path: { id } });
      show(cli, options, lines, () => {
        for (const line of lines) cli.terminal.print(escapeLine(line));
      });
      if (command === undefined)
        cli.terminal.note(`${id} is no process of the hub: what it says is in its own log.`);
      else if (lines.length === 0) cli.terminal.note('Nothing yet.');
    }),
  );
}
