import type { Command } from 'commander';
import { ADMIN_ROUTES, type ConnectorDetail, type CredentialInput } from '../../contract/index.js';
import { addHubCommand, collect } from '../add-command.js';
import { CliError, usageError } from '../cli-error.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import { readVariable } from '../connector-options.js';
import { discovered } from '../connector-text.js';
import type { HubOptions } from '../hub-address.js';
import type { HubClient } from '../hub-client.js';
import { readSecret } from '../read-secret.js';
import { requireConnector } from '../find-connector.js';
import { withHub } from '../with-hub.js';

interface Options extends HubOptions, OutputOptions {
  readonly agent?: string;
  readonly account?: string;
  readonly browser: boolean;
  readonly valueEnv?: readonly string[];
}

export function addConnectorConnectCommand(parent: Command, cli: Cli): void {
  addHubCommand(parent, {
    usage: 'connect <id>',
    summary:
      'Sign in to what a connector leads to, or store its credential: asked for, piped in, or read from a variable',
    examples: [
      'crosspoint connector connect linear',
      'crosspoint connector connect linear --agent ci --account work',
      'crosspoint connector connect tracker',
      'crosspoint connector connect tracker --agent ci --value-env CI_TRACKER_TOKEN',
      'pass show tracker | crosspoint connector connect tracker',
    ],
  })
    .option('--agent <agent>', 'whose credential it is (default: shared by all)')
    .option(
      '--value-env <variable>',
      'variable that holds the value; HEADER=VARIABLE where there are several headers (repeatable)',
      collect,
    )
    .option('--account <name>', 'which account it is, where an owner has several (OAuth)')
    .option('--no-browser', 'only print the address to sign in at (OAuth)')
    .action((id: string, options: Options) =>
      withHub(cli, options, async (hub) => {
        const connector = await requireConnector(hub, id);
        const owner = chooseOwner(connector, options.agent);
        const saved =
          connector.auth.type === 'oauth'
            ? await connect(cli, hub, connector, options)
            : await hub.ask(ADMIN_ROUTES.credentials.save, {
                path: { id, owner },
                body: await readCredential(cli, connector, options.valueEnv ?? []),
              });
        show(cli, options, saved, () => {
          const what = connector.auth.type === 'oauth' ? 'account' : 'credential';
          cli.terminal.print(
            `Stored the ${owner === 'shared' ? `shared ${what}` : `${what} of ${owner}`} of ${id}.`,
          );
          if (saved.sync?.state === 'done') cli.terminal.print(discovered(connector.name, saved.sync));
        });
      }),
    );
}

/** Loaded only here: other commands need no server and start no programs. */
async function connect(cli: Cli, hub: HubClient, connector: ConnectorDetail, options: Options) {
  const { connectAccount } = await import('../connect-account.js');
  return connectAccount(cli, hub, connector, {
    agent: options.agent,
    account: options.account,
    browser: options.browser,
  });
}

function chooseOwner({ id, auth, credentialMode }: ConnectorDetail, agent: string | undefined): string {
  if (auth.type === 'none') throw new CliError(`${id} needs no credential`, { code: 'conflict' });
  if (auth.type === 'client_credentials')
    throw new CliError(`${id} signs in by itself with its client credentials`, { code: 'conflict' });
  if (credentialMode === 'per_agent' && agent === undefined) {
    throw usageError(
      `${id} wants a credential of each agent`,
      `Name the agent: crosspoint connector connect ${id} --agent AGENT`,
    );
  }
  return agent ?? 'shared';
}

const BY_VARIABLE = ', or name a variable with --value-env';

async function readCredential(
  cli: Cli,
  { id, auth }: ConnectorDetail,
  variables: readonly string[],
): Promise<CredentialInput> {
  if (auth.type !== 'header') {
    const [variable, ...more] = variables;
    if (more.length > 0) throw usageError(`${id} needs one value only`);
    const value =
      variable === undefined
        ? await readSecret(
            cli,
            `${auth.type === 'bearer' ? 'Bearer token' : 'API key'} for ${id}`,
            BY_VARIABLE,
          )
        : readVariable(cli, variable);
    return auth.type === 'bearer' ? { token: value } : { value };
  }
  const names = Object.keys(auth.headers);
  if (variables.length > 0) return { headers: fromVariables(cli, names, variables) };
  if (names.length > 1 && !cli.terminal.interactive) {
    throw usageError(
      `${id} needs values for ${names.join(', ')}`,
      'Name a variable for each: --value-env HEADER=VARIABLE',
    );
  }
  const headers: Record<string, string> = {};
  for (const name of names) headers[name] = await readSecret(cli, `${name} for ${id}`, BY_VARIABLE);
  return { headers };
}

function fromVariables(
  cli: Cli,
  names: readonly string[],
  variables: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    variables.map((given) => {
      const [variable, name = names[0]] = given.split('=').toReversed();
      if (variable === undefined || name === undefined || (names.length > 1 && !given.includes('='))) {
        throw usageError(`say which header it is for: --value-env HEADER=${given}`);
      }
      return [name, readVariable(cli, variable)];
    }),
  );
}
