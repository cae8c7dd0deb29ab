import type { Command } from 'commander';
import { ADMIN_ROUTES } from '../../contract/index.js';
import { addHubCommand } from '../add-command.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import type { HubOptions } from '../hub-address.js';
import { count } from '../terminal/format.js';
import { withProgress } from '../terminal/progress.js';
import { withHub } from '../with-hub.js';

type Options = HubOptions & OutputOptions;

export function addMasterKeyCommands(program: Command, cli: Cli): void {
  const parent = program.command('master-key').description('The key that seals stored secrets');
  addHubCommand(parent, {
    usage: 'show',
    summary: 'Where the master key is kept and what it is called; never the key itself',
    examples: ['crosspoint master-key show'],
  }).action((options: Options) =>
    withHub(cli, options, async (hub) => {
      const key = await hub.ask(ADMIN_ROUTES.masterKey.get, {});
      show(cli, options, key, () => {
        cli.terminal.print(`${key.active}, kept in ${key.place.name}`);
        if (key.retired.length > 0)
          cli.terminal.note(
            `Still needed for older secrets: ${key.retired.join(', ')}. Rotate to be rid of it.`,
          );
      });
    }),
  );
  addHubCommand(parent, {
    usage: 'rotate',
    summary:
      'Make a new master key and seal every stored secret with it, while the hub serves; backups made before need the old one, so copy it first',
    examples: ['crosspoint master-key rotate'],
  }).action((options: Options) =>
    withHub(cli, options, async (hub) => {
      const rotated = await withProgress(cli.terminal, 'Sealing', () =>
        hub.ask(ADMIN_ROUTES.masterKey.rotate, {}),
      );
      show(cli, options, rotated, () => {
        cli.terminal.print(
          `${count(rotated.resealed, 'secret')} sealed with ${rotated.active}, kept in ${rotated.place.name}.`,
        );
        cli.terminal.note('Backups made before still need the key of before.');
        if (rotated.unreadable > 0)
          cli.terminal.note(
            `${count(rotated.unreadable, 'secret')} could not be opened with any key and stayed as before.`,
          );
      });
    }),
  );
}
