import type { Command } from 'commander';
import { ADMIN_ROUTES } from '../../contract/index.js';
import { addHubCommand } from '../add-command.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import { changeConfigured } from '../configured-connector.js';
import type { OperatorFileOptions } from '../operator-file.js';
import { requireConnector } from '../find-connector.js';
import { withHub } from '../with-hub.js';

export function addConnectorRemoveCommand(parent: Command, cli: Cli): void {
  addHubCommand(parent, {
    usage: 'remove <id>',
    summary: 'Remove a connector with its credentials',
    examples: ['crosspoint connector remove github'],
  })
    .option('--config <file>', 'configuration file that describes it (default: that of the hub)')
    .action((id: string, options: OperatorFileOptions & OutputOptions) =>
      withHub(cli, options, async (hub) => {
        const connector = await requireConnector(hub, id);
        if (connector.source === 'stored') await hub.ask(ADMIN_ROUTES.connectors.remove, { path: { id } });
        else
          await changeConfigured(
            cli,
            hub,
            options,
            connector,
            { kind: 'remove', id },
            (found) => found?.source !== 'file',
          );
        show(cli, options, { id, removed: true }, () => cli.terminal.print(`Removed ${id}.`));
      }),
    );
}
