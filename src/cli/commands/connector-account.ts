import type { Command } from 'commander';
import { ADMIN_ROUTES, type CredentialView } from '../../contract/index.js';
import { addHubCommand } from '../add-command.js';
import { CliError, usageError } from '../cli-error.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import { requireConnector } from '../find-connector.js';
import type { HubOptions } from '../hub-address.js';
import type { HubClient } from '../hub-client.js';
import { formatMoment } from '../terminal/format.js';
import { withHub } from '../with-hub.js';

const ROUTES = ADMIN_ROUTES.credentials;

interface OwnerOptions extends HubOptions, OutputOptions {
  readonly agent?: string;
}

interface DisconnectOptions extends OwnerOptions {
  readonly account?: string;
}

/** What is done with accounts that are there: look at them, choose one, end one. */
export function addConnectorAccountCommands(parent: Command, cli: Cli): void {
  addAccount(parent, cli);
  addDisconnect(parent, cli);
}

function addAccount(parent: Command, cli: Cli): void {
  addHubCommand(parent, {
    usage: 'account <id> [account]',
    summary: 'The accounts of a connector and the state of each; with a name, make calls with that one',
    examples: [
      'crosspoint connector account linear',
      'crosspoint connector account linear work',
      'crosspoint connector account linear work --agent ci',
    ],
  })
    .option('--agent <agent>', 'whose accounts (default: to look at all, to choose the shared ones)')
    .action((id: string, account: string | undefined, options: OwnerOptions) =>
      withHub(cli, options, async (hub) => {
        const { credentialMode } = await requireConnector(hub, id);
        if (account !== undefined) return choose(cli, hub, { id, account }, options);
        const accounts = await accountsOf(hub, id, options.agent);
        const option = credentialMode === 'per_agent' ? ` --agent ${options.agent ?? 'AGENT'}` : '';
        const advice =
          credentialMode === 'none'
            ? 'It needs none.'
            : `Sign in to one with "crosspoint connector connect ${id}${option}".`;
        show(cli, options, accounts, () => printAccounts(cli, id, accounts, advice));
      }),
    );
}

async function choose(
  cli: Cli,
  hub: HubClient,
  { id, account }: { readonly id: string; readonly account: string },
  options: OwnerOptions,
): Promise<void> {
  const owner = options.agent ?? 'shared';
  const chosen = await hub.ask(ROUTES.chooseAccount, { path: { id, owner, account } });
  show(cli, options, chosen, () =>
    cli.terminal.print(`Calls of ${whose(owner)} to ${id} are made with the account ${account}.`),
  );
}

function printAccounts(cli: Cli, id: string, accounts: readonly CredentialView[], advice: string): void {
  if (accounts.length === 0) {
    cli.terminal.note(`${id} has no account. ${advice}`);
    return;
  }
  cli.terminal.table(
    ['OWNER', 'ACCOUNT', 'USED', 'STATE', 'UNTIL', 'SCOPES'],
    accounts.map(({ owner, account, isDefault, state, expiresAt, scopes = [] }) => [
      owner,
      account,
      isDefault ? 'yes' : 'no',
      state.replaceAll('_', ' '),
      expiresAt === undefined ? '' : formatMoment(expiresAt),
      scopes.join(' '),
    ]),
    [cli.terminal.colors.cyan],
  );
}

function addDisconnect(parent: Command, cli: Cli): void {
  addHubCommand(parent, {
    usage: 'disconnect <id>',
    summary: 'Forget an account; its tokens are revoked where its authorization server offers that',
    examples: [
      'crosspoint connector disconnect linear',
      'crosspoint connector disconnect linear --agent ci --account work',
    ],
  })
    .option('--agent <agent>', 'whose account it is (default: the shared one)')
    .option('--account <name>', 'which account, where the owner has several')
    .action((id: string, options: DisconnectOptions) =>
      withHub(cli, options, async (hub) => {
        await requireConnector(hub, id);
        const owner = options.agent ?? 'shared';
        const account = options.account ?? (await onlyAccountOf(hub, id, owner));
        await hub.ask(ROUTES.removeAccount, { path: { id, owner, account } });
        show(cli, options, { connector: id, owner, account, removed: true }, () =>
          cli.terminal.print(`Removed the account ${account} of ${whose(owner)} from ${id}.`),
        );
      }),
    );
}

async function onlyAccountOf(hub: HubClient, id: string, owner: string): Promise<string> {
  const [only, ...more] = await accountsOf(hub, id, owner);
  if (only === undefined) {
    throw new CliError(`${id} has no account of ${whose(owner)}`, {
      code: 'not_found',
      hint: `See which there are with "crosspoint connector account ${id}".`,
    });
  }
  if (more.length > 0) {
    const names = [only, ...more].map(({ account }) => account).join(', ');
    throw usageError(`there are several accounts of ${whose(owner)}: ${names}`, 'Name one with --account.');
  }
  return only.account;
}

async function accountsOf(
  hub: HubClient,
  id: string,
  owner: string | undefined,
): Promise<readonly CredentialView[]> {
  const accounts = await hub.list(ROUTES.accounts, { path: { id } });
  return owner === undefined ? accounts : accounts.filter((account) => account.owner === owner);
}

function whose(owner: string): string {
  return owner === 'shared' ? 'everybody' : owner;
}
