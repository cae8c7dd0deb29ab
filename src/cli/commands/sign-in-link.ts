import type { Command } from 'commander';
import { ADMIN_ROUTES } from '../../contract/index.js';
import { addHubCommand } from '../add-command.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import type { HubOptions } from '../hub-address.js';
import { formatMoment } from '../terminal/format.js';
import { withHub } from '../with-hub.js';

export function addSignInLinkCommand(program: Command, cli: Cli): void {
  addHubCommand(program, {
    usage: 'sign-in-link',
    summary: 'Print a link that signs one browser in as the admin whose token is used',
    examples: ['crosspoint sign-in-link'],
  }).action((options: HubOptions & OutputOptions) =>
    withHub(cli, options, async (hub) => {
      const link = await hub.ask(ADMIN_ROUTES.session.addLink, {});
      show(cli, options, link, () => {
        cli.terminal.print(link.url);
        cli.terminal.note(`It works once, until ${formatMoment(link.expiresAt)}.`);
      });
    }),
  );
}
