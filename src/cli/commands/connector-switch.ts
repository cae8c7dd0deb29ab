import type { Command } from 'commander';
import { ADMIN_ROUTES } from '../../contract/index.js';
import { addHubCommand } from '../add-command.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import { changeConfigured } from '../configured-connector.js';
import type { OperatorFileOptions } from '../operator-file.js';
import { requireConnector } from '../find-connector.js';
import { withHub } from '../with-hub.js';

/** `enable` and `disable`. */
export function addConnectorSwitchCommands(parent: Command, cli: Cli): void {
  addSwitch(parent, cli, 'enable', true, 'Use a connector again');
  addSwitch(parent, cli, 'disable', false, 'Stop using a connector; what is known of it stays');
}

function addSwitch(parent: Command, cli: Cli, word: string, enabled: boolean, summary: string): void {
  addHubCommand(parent, { usage: `${word} <id>`, summary, examples: [`crosspoint connector ${word} github`] })
    .option('--config <file>', 'configuration file that describes it (default: that of the hub)')
    .action((id: string, options: OperatorFileOptions & OutputOptions) =>
      withHub(cli, options, async (hub) => {
        const before = await requireConnector(hub, id);
        if (before.enabled !== enabled) {
          if (before.source === 'stored')
            await hub.ask(ADMIN_ROUTES.connectors.change, { path: { id }, body: { enabled } });
          else
            await changeConfigured(
              cli,
              hub,
              options,
              before,
              { kind: 'enable', id, enabled },
              (found) => found?.enabled === enabled,
            );
        }
        const was = before.enabled === enabled ? 'was already' : 'is';
        show(cli, options, { id, enabled }, () => cli.terminal.print(`${id} ${was} ${word}d.`));
      }),
    );
}
