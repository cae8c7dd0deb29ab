import type { Command } from 'commander';
import { ADMIN_ROUTES } from '../../contract/index.js';
import { addHubCommand } from '../add-command.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import type { HubOptions } from '../hub-address.js';
import { count, formatMoment } from '../terminal/format.js';
import { withHub } from '../with-hub.js';

export function addPolicyListCommand(parent: Command, cli: Cli): void {
  addHubCommand(parent, {
    usage: 'list',
    summary: 'The policy documents in force',
    examples: ['crosspoint policy list', 'crosspoint policy list --json'],
  }).action((options: HubOptions & OutputOptions) =>
    withHub(cli, options, async (hub) => {
      const policies = await hub.list(ADMIN_ROUTES.policies.list, {});
      show(cli, options, policies, () =>
        cli.terminal.table(
          ['ID', 'SOURCE', 'CHANGED', 'TEXT'],
          policies.map(({ id, source, updatedAt, text }) => [
            id,
            source.replace('_', '-'),
            source === 'built_in' ? '-' : formatMoment(updatedAt),
            count(text.trimEnd().split('\n').length, 'line'),
          ]),
          [cli.terminal.colors.cyan],
        ),
      );
    }),
  );
}
