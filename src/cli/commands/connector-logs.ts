import type { Command } from 'commander';
import { ADMIN_ROUTES } from '../../contract/index.js';
import { addHubCommand } from '../add-command.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import { requireConnector } from '../find-connector.js';
import type { HubOptions } from '../hub-address.js';
import { escapeLine } from '../terminal/escape-text.js';
import { withHub } from '../with-hub.js';

export function addConnectorLogsCommand(parent: Command, cli: Cli): void {
  addHubCommand(parent, {
    usage: 'logs <id>',
    summary: 'What the process of a connector said last that is no message, and how it ended',
    examples: ['crosspoint connector logs files'],
  }).action((id: string, options: HubOptions & OutputOptions) =>
    withHub(cli, options, async (hub) => {
      await requireConnector(hub, id);
      const { lines } = await hub.ask(ADMIN_ROUTES.connectors.logs, { path: { id } });
      show(cli, options, lines, () => {
        if (lines.length === 0) cli.terminal.note(`Nothing was said by a process of ${id}.`);
        for (const line of lines) cli.terminal.print(escapeLine(line));
      });
    }),
  );
}
