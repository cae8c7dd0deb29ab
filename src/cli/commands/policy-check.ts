import { resolve } from 'node:path';
import type { Command } from 'commander';
import { addLocalCommand } from '../add-command.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import { readLocalConfig } from '../local-config.js';
import { count } from '../terminal/format.js';

interface Options extends OutputOptions {
  readonly config?: string;
  readonly data?: string;
}

export function addPolicyCheckCommand(parent: Command, cli: Cli): void {
  addLocalCommand(parent, {
    usage: 'check [files...]',
    summary: 'Check syntax and schema of policies (default: those of the configuration); no hub is needed',
    examples: ['crosspoint policy check policies/ci.cedar', 'crosspoint policy check'],
  }).action(async (files: string[], options: Options) => {
    const { checkPolicies, readPolicyFile } = await import('../../app/index.js');
    const now = Date.now();
    const policies =
      files.length === 0
        ? (await readLocalConfig(cli, options)).policies
        : files.map((file) => readPolicyFile(resolve(cli.folder, file), now));
    await checkPolicies(policies);
    const ids = policies.map(({ id }) => id);
    show(cli, options, { ok: true, policies: ids }, () => {
      for (const id of ids) cli.terminal.print(`${cli.terminal.colors.green('ok')}  ${id}`);
      cli.terminal.note(
        ids.length === 0 ? 'There are no policies to check.' : `${count(ids.length, 'document')}, all valid.`,
      );
    });
  });
}
