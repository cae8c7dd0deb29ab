import { resolve } from 'node:path';
import type { Command } from 'commander';
import { addLocalCommand } from '../add-command.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import { readLocalConfig } from '../local-config.js';
import { withProgress } from '../terminal/progress.js';

interface Options extends OutputOptions {
  readonly config?: string;
  readonly data?: string;
}

export function addBackupCommand(program: Command, cli: Cli): void {
  addLocalCommand(program, {
    usage: 'backup <file>',
    summary: 'Copy what the hub keeps into a file, while it runs or not; secrets in it stay encrypted',
    examples: ['crosspoint backup hub-2026-11-15.backup'],
  }).action(async (file: string, options: Options) => {
    const config = await readLocalConfig(cli, options);
    const { backupHub } = await import('../../app/index.js');
    const path = resolve(cli.folder, file);
    await withProgress(cli.terminal, 'Copying', () =>
      backupHub(config, cli.environment['CROSSPOINT_MASTER_KEY'], path),
    );
    show(cli, options, { file: path }, () => {
      cli.terminal.print(`Wrote ${file}.`);
      cli.terminal.note(
        'Its secrets can only be read with the master key (master.key in the data folder): keep a copy of that elsewhere.',
      );
    });
  });
}
