import type { Command } from 'commander';
import { ADMIN_ROUTES } from '../../contract/index.js';
import { addHubCommand } from '../add-command.js';
import { CliError, usageError } from '../cli-error.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import type { HubOptions } from '../hub-address.js';
import type { HubClient } from '../hub-client.js';
import { formatMoment } from '../terminal/format.js';
import { withHub } from '../with-hub.js';

interface AddOptions extends HubOptions, OutputOptions {
  readonly expires?: string;
}

export function addAgentKeyCommands(parent: Command, cli: Cli): void {
  const key = parent.command('key').description('Make and revoke keys of agents');
  addHubCommand(key, {
    usage: 'add <agent>',
    summary: 'Make a key; it is shown this once and kept only as a hash',
    examples: ['crosspoint agent key add ci', 'crosspoint agent key add ci --expires 2027-01-31'],
  })
    .option('--expires <date>', 'when it stops working')
    .action((agent: string, options: AddOptions) =>
      withHub(cli, options, async (hub) => {
        const body = options.expires === undefined ? {} : { expiresAt: toDate(options.expires) };
        const made = await hub.ask(ADMIN_ROUTES.agents.addKey, { path: { id: agent }, body });
        show(cli, options, made, () => {
          cli.terminal.print(made.key);
          const until = made.expiresAt === undefined ? '' : `, until ${formatMoment(made.expiresAt)}`;
          cli.terminal.note(`This is key ${made.id} of ${agent}${until}. It is not shown again.`);
        });
      }),
    );
  addHubCommand(key, {
    usage: 'revoke <agent> [key]',
    summary: 'Revoke a key at once; without its id the only one the agent has',
    examples: ['crosspoint agent key revoke ci', 'crosspoint agent key revoke ci 3f9a1c02d4e5'],
  }).action((agent: string, id: string | undefined, options: HubOptions & OutputOptions) =>
    withHub(cli, options, async (hub) => {
      const keyId = id ?? (await onlyKeyOf(hub, agent));
      await hub.ask(ADMIN_ROUTES.agents.revokeKey, { path: { id: agent, keyId } });
      show(cli, options, { agent, key: keyId, revoked: true }, () =>
        cli.terminal.print(`Revoked key ${keyId} of ${agent}.`),
      );
    }),
  );
}

async function onlyKeyOf(hub: HubClient, agent: string): Promise<string> {
  const { keys } = await hub.ask(ADMIN_ROUTES.agents.get, { path: { id: agent } });
  const [only, ...more] = keys;
  if (only === undefined) throw new CliError(`${agent} has no key`, { code: 'not_found' });
  if (more.length > 0) {
    const list = keys.map(({ id, last4 }) => `${id} (…${last4})`).join(', ');
    throw usageError(
      `${agent} has several keys: ${list}`,
      `Name one: crosspoint agent key revoke ${agent} KEY`,
    );
  }
  return only.id;
}

function toDate(text: string): string {
  const at = new Date(text);
  if (Number.isNaN(at.getTime()))
    throw usageError(`"${text}" is not a date`, 'It looks like 2027-01-31 or 2027-01-31T12:00:00Z.');
  return at.toISOString();
}
