import { Option, type Command } from 'commander';
import { ADMIN_ROLES, ADMIN_ROUTES, type AdminRole } from '../../contract/index.js';
import { addHubCommand } from '../add-command.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import type { HubOptions } from '../hub-address.js';
import { formatMoment } from '../terminal/format.js';
import { withHub } from '../with-hub.js';

const ROUTES = ADMIN_ROUTES.admins;

interface AddOptions extends HubOptions, OutputOptions {
  readonly name?: string;
  readonly role: AdminRole;
}

/** `crosspoint admin`: who may run the hub, besides whoever holds its own token. */
export function addAdminCommands(program: Command, cli: Cli): void {
  const admin = program.command('admin').description('Add, look at and remove admins');
  addAdd(admin, cli);
  addList(admin, cli);
  addRemove(admin, cli);
}

function addAdd(parent: Command, cli: Cli): void {
  addHubCommand(parent, {
    usage: 'add <id>',
    summary: 'Add an admin; its token is shown this once and kept only as a hash',
    examples: ['crosspoint admin add ann --role operator', 'crosspoint admin add wall --role viewer'],
  })
    .option('--name <name>', 'name for people')
    .addOption(
      new Option(
        '--role <role>',
        'a viewer looks, an operator runs connectors, an owner decides who may do what',
      )
        .choices(ADMIN_ROLES)
        .default('viewer'),
    )
    .action((id: string, options: AddOptions) =>
      withHub(cli, options, async (hub) => {
        const { name, role } = options;
        const body = { id, role, ...(name !== undefined && { name }) };
        const made = await hub.ask(ROUTES.add, { body });
        show(cli, options, made, () => {
          cli.terminal.print(made.token);
          cli.terminal.note(`This is the token of ${id} (${role}). It is not shown again.`);
        });
      }),
    );
}

function addList(parent: Command, cli: Cli): void {
  addHubCommand(parent, {
    usage: 'list',
    summary: 'All admins',
    examples: ['crosspoint admin list'],
  }).action((options: HubOptions & OutputOptions) =>
    withHub(cli, options, async (hub) => {
      const admins = await hub.list(ROUTES.list, {});
      show(cli, options, admins, () =>
        cli.terminal.table(
          ['ID', 'NAME', 'ROLE', 'SOURCE', 'TOKEN', 'SINCE'],
          admins.map(({ id, name, role, source, last4, createdAt }) => [
            id,
            name,
            role,
            source.replace('_', '-'),
            `…${last4}`,
            source === 'stored' ? formatMoment(createdAt) : '',
          ]),
          [cli.terminal.colors.cyan],
        ),
      );
    }),
  );
}

function addRemove(parent: Command, cli: Cli): void {
  addHubCommand(parent, {
    usage: 'remove <id>',
    summary: 'Remove an admin; its token and its sessions end at once',
    examples: ['crosspoint admin remove ann'],
  }).action((id: string, options: HubOptions & OutputOptions) =>
    withHub(cli, options, async (hub) => {
      await hub.ask(ROUTES.remove, { path: { id } });
      show(cli, options, { id, removed: true }, () => cli.terminal.print(`Removed the admin ${id}.`));
    }),
  );
}
