import type { Command } from 'commander';
import { ADMIN_ROUTES, type HealthView } from '../../contract/index.js';
import { addHubCommand } from '../add-command.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import { paintState } from '../connector-text.js';
import { EXIT_FAILED } from '../exit-codes.js';
import type { HubOptions } from '../hub-address.js';
import { escapeLine } from '../terminal/escape-text.js';
import { formatMoment } from '../terminal/format.js';
import { requireConnector } from '../find-connector.js';
import { withHub } from '../with-hub.js';

export function addConnectorHealthCommand(parent: Command, cli: Cli): void {
  addHubCommand(parent, {
    usage: 'health <id>',
    summary: 'Whether the upstream answered when the hub last looked; ends with 1 if it did not',
    examples: ['crosspoint connector health github'],
  }).action((id: string, options: HubOptions & OutputOptions) =>
    withHub(cli, options, async (hub) => {
      await requireConnector(hub, id);
      const health = await hub.ask(ADMIN_ROUTES.connectors.health, { path: { id } });
      show(cli, options, health, () => cli.terminal.print(describe(cli, id, health)));
      if (health.state === 'unhealthy' || health.state === 'failed') cli.setExitCode(EXIT_FAILED);
    }),
  );
}

function describe(cli: Cli, id: string, { state, reason, since, checkedAt }: HealthView): string {
  const times = [
    ...(since === undefined ? [] : [`since ${formatMoment(since)}`]),
    checkedAt === undefined ? 'not checked yet' : `checked ${formatMoment(checkedAt)}`,
  ];
  const first = `${id} is ${paintState(cli)(state)} (${times.join(', ')})`;
  return reason === undefined ? first : `${first}\n${escapeLine(reason)}`;
}
