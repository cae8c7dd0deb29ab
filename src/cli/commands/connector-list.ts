import type { Command } from 'commander';
import { ADMIN_ROUTES, type ConnectorView } from '../../contract/index.js';
import { addHubCommand } from '../add-command.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import { accountsOf, addressOf, paintState, reasonOf, stateOf } from '../connector-text.js';
import type { HubOptions } from '../hub-address.js';
import { escapeLine } from '../terminal/escape-text.js';
import { formatAge } from '../terminal/format.js';
import { withHub } from '../with-hub.js';

export function addConnectorListCommand(parent: Command, cli: Cli): void {
  addHubCommand(parent, {
    usage: 'list',
    summary: 'All connectors, how they are and what they offer',
    examples: ['crosspoint connector list'],
  }).action((options: HubOptions & OutputOptions) =>
    withHub(cli, options, async (hub) => {
      const connectors = await hub.list(ADMIN_ROUTES.connectors.list, {});
      show(cli, options, connectors, () => printConnectors(cli, connectors));
    }),
  );
}

function printConnectors(cli: Cli, connectors: readonly ConnectorView[]): void {
  const { terminal } = cli;
  if (connectors.length === 0) {
    terminal.print('There are no connectors. Add one with "crosspoint connector add".');
    return;
  }
  const now = Date.now();
  terminal.table(
    ['ID', 'STATE', 'ACCOUNTS', 'TOOLS', 'SYNCED', 'SOURCE', 'ADDRESS'],
    connectors.map((connector) => [
      connector.id,
      stateOf(connector),
      accountsOf(connector),
      connector.sync === null ? '-' : String(connector.sync.tools),
      connector.sync === null ? 'never' : formatAge(connector.sync.syncedAt, now),
      connector.source.replace('_', '-'),
      addressOf(connector),
    ]),
    [terminal.colors.cyan, paintState(cli)],
  );
  for (const { id, health } of connectors) {
    if (health.state === 'unhealthy' || health.state === 'failed')
      terminal.print(`\n${terminal.colors.red(id)}: ${escapeLine(reasonOf(id, health.reason))}`);
  }
}
