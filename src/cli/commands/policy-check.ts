import { resolve } from 'node:path';
import type { Command } from 'commander';
import { addLocalCommand } from '../add-command.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import { readLocalConfig } from '../local-config.js';
import { MAX_POLICY_BYTES, readStdin } from '../read-stdin.js';
import { count } from '../terminal/format.js';

interface Options extends OutputOptions {
  readonly config?: string;
  readonly data?: string;
}

export function addPolicyCheckCommand(parent: Command, cli: Cli): void {
  addLocalCommand(parent, {
    usage: 'check [files...]',
    summary:
      'Check syntax and schema of policies (- reads one from stdin; default: those of the configuration); no hub is needed',
    examples: ['crosspoint policy check policies/ci.cedar', 'crosspoint policy check'],
  }).action(async (files: string[], options: Options) => {
    const { checkPolicies, readPolicyFile, toFilePolicy } = await import('../../app/index.js');
    const now = Date.now();
    const read = async (file: string) =>
      file === '-'
        ? toFilePolicy('stdin', await readStdin(cli.stdin, MAX_POLICY_BYTES, 'a policy document'), now)
        : readPolicyFile(resolve(cli.folder, file), now);
    const policies =
      files.length === 0
        ? (await readLocalConfig(cli, options)).policies
        : await Promise.all(files.map(read));
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
