import { resolve } from 'node:path';
import type { Command } from 'commander';
import { addLocalCommand } from '../add-command.js';
import { CliError } from '../cli-error.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import { shown } from '../hub-address.js';
import { findRunningHub } from '../hub-file.js';
import { readLocalConfig } from '../local-config.js';
import { withProgress } from '../terminal/progress.js';

interface Options extends OutputOptions {
  readonly config?: string;
  readonly data?: string;
  readonly replace?: boolean;
}

export function addRestoreCommand(program: Command, cli: Cli): void {
  addLocalCommand(program, {
    usage: 'restore <file>',
    summary: 'Bring back what a backup holds; the hub must be stopped',
    examples: [
      'crosspoint restore hub-2026-11-15.backup',
      'crosspoint restore hub-2026-11-15.backup --replace',
    ],
  })
    .option('--replace', 'move the store that is there aside instead of refusing')
    .action(async (file: string, options: Options) => {
      const config = await readLocalConfig(cli, options);
      if (findRunningHub(config.dataDir) !== undefined) {
        throw new CliError('the hub is running', {
          code: 'conflict',
          hint: 'Stop it first: a store cannot be replaced under a running hub.',
        });
      }
      const { restoreHub } = await import('../../app/index.js');
      const restored = await withProgress(cli.terminal, 'Restoring', () =>
        restoreHub({
          config,
          masterKey: cli.environment['CROSSPOINT_MASTER_KEY'],
          file: resolve(cli.folder, file),
          replace: options.replace === true,
          now: Date.now(),
        }),
      );
      show(cli, options, restored, () => {
        cli.terminal.print(`Restored ${restored.rows} records from ${file}.`);
        if (restored.movedTo !== undefined)
          cli.terminal.note(`What was there before is now ${shown(cli, restored.movedTo)}.`);
      });
    });
}
