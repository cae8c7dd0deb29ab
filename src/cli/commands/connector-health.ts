import type { Command } from 'commander';
import { ADMIN_ROUTES, type HealthView } from '../../contract/index.js';
import { addHubCommand } from '../add-command.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import { paintState } from '../connector-text.js';
import { EXIT_FAILED } from '../exit-codes.js';
import type { HubOptions } from '../hub-address.js';
import { escapeLine } from '../terminal/escape-text.js';
import { count, formatMoment } from '../terminal/format.js';
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

function describe(cli: Cli, id: string, health: HealthView): string {
  const { state, reason, since, checkedAt, instance, traffic } = health;
  const times = [
    ...(since === undefined ? [] : [`since ${formatMoment(since)}`]),
    checkedAt === undefined ? 'not checked yet' : `checked ${formatMoment(checkedAt)}`,
  ];
  const first = `${id} is ${paintState(cli)(state)} (${times.join(', ')})`;
  const isPaused = traffic.breaker === 'open';
  return [
    first,
    ...(reason === undefined ? [] : [escapeLine(reason)]),
    ...(isPaused ? [`Calls fail at once (${count(traffic.failures, 'failure')} in a row).`] : []),
    ...(instance === undefined ? [] : [`As instance ${instance} sees it; others may reach it or not.`]),
  ].join('\n');
}
