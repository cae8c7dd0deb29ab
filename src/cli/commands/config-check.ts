import type { Command } from 'commander';
import { addLocalCommand } from '../add-command.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import { shown } from '../hub-address.js';
import { readLocalConfig } from '../local-config.js';
import { count } from '../terminal/format.js';

interface Options extends OutputOptions {
  readonly config?: string;
  readonly data?: string;
}

export function addConfigCheckCommand(parent: Command, cli: Cli): void {
  addLocalCommand(parent, {
    usage: 'check',
    summary:
      'Check file, environment and policies as the hub would at its start; ends with 78 if they are not valid',
    examples: ['crosspoint config check', 'crosspoint config check --config /etc/crosspoint.yaml'],
  }).action(async (options: Options) => {
    const config = await readLocalConfig(cli, options);
    const { checkPolicies } = await import('../../app/index.js');
    await checkPolicies(config.policies);
    const { configFile, connectors, agents, policies } = config;
    const counts = { connectors: connectors.length, agents: agents.length, policies: policies.length };
    show(cli, options, { ok: true, configFile: configFile ?? null, ...counts }, () => {
      const what =
        configFile === undefined
          ? 'There is no configuration file; the defaults are'
          : `${shown(cli, configFile)} is`;
      const content = [
        count(connectors.length, 'connector'),
        count(agents.length, 'agent'),
        count(policies.length, 'policy document'),
      ].join(', ');
      cli.terminal.print(`${what} ${cli.terminal.colors.green('valid')}: ${content}.`);
    });
  });
}
