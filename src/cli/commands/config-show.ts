import type { Command } from 'commander';
import type { ConfigLine } from '../../app/index.js';
import { ADMIN_ROUTES } from '../../contract/index.js';
import { addLocalCommand } from '../add-command.js';
import { CliError } from '../cli-error.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import { readLocalConfig } from '../local-config.js';
import { withHub } from '../with-hub.js';

interface Options extends OutputOptions {
  readonly config?: string;
  readonly data?: string;
}

export function addConfigShowCommand(parent: Command, cli: Cli): void {
  addLocalCommand(parent, {
    usage: 'show',
    summary: 'Every setting with where it comes from; secrets are masked',
    examples: ['crosspoint config show', 'crosspoint config show --json'],
  }).action(async (options: Options) => {
    const config = await readLocalConfig(cli, options);
    const { describeConfig } = await import('../../app/index.js');
    const stored = await readStored(cli, options);
    const lines = [...describeConfig(config), ...(stored ?? [])];
    show(cli, options, lines, () => {
      cli.terminal.table(
        ['SETTING', 'SOURCE', 'VALUE'],
        lines.map(({ path, source, value }) => [path, source, toText(value)]),
        [cli.terminal.colors.cyan, cli.terminal.colors.dim],
      );
      if (stored === undefined)
        cli.terminal.note('No hub is running here, so what it has stored is not shown.');
    });
  });
}

function toText(value: unknown): string {
  if (value === null) return '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What was added through the admin API; undefined where no hub tells. */
async function readStored(cli: Cli, { data }: Options): Promise<readonly ConfigLine[] | undefined> {
  try {
    return await withHub(cli, data === undefined ? {} : { data }, async (hub) => {
      const connectors = await hub.list(ADMIN_ROUTES.connectors.list, {});
      const agents = await hub.list(ADMIN_ROUTES.agents.list, {});
      const policies = await hub.list(ADMIN_ROUTES.policies.list, {});
      return [
        ...connectors.map((connector) => ({
          ...connector,
          path: `connectors.${connector.id}`,
          value: { transport: connector.transport, url: connector.url },
        })),
        ...agents.map((agent) => ({
          ...agent,
          path: `agents.${agent.id}`,
          value: { name: agent.name, enabled: agent.enabled },
        })),
        ...policies.map((policy) => ({
          ...policy,
          path: `policies.${policy.id}`,
          value: { version: policy.version },
        })),
      ]
        .filter(({ source }) => source === 'stored')
        .map(({ path, value }) => ({ path, value, source: 'stored' as const }));
    });
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}
