import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { ADMIN_ROUTES } from '../../contract/index.js';
import { addHubCommand } from '../add-command.js';
import { CliError } from '../cli-error.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import { EXIT_FAILED } from '../exit-codes.js';
import type { HubOptions } from '../hub-address.js';
import { MAX_POLICY_BYTES, readStdin } from '../read-stdin.js';
import { withHub } from '../with-hub.js';

/** `save` and `remove`: policies kept by the hub itself rather than in files. */
export function addPolicySaveCommands(parent: Command, cli: Cli): void {
  addHubCommand(parent, {
    usage: 'save <id> <file>',
    summary:
      'Add or replace a policy document (- reads it from stdin); an invalid one is refused and nothing changes',
    examples: ['crosspoint policy save ci policies/ci.cedar'],
  }).action((id: string, file: string, options: HubOptions & OutputOptions) =>
    withHub(cli, options, async (hub) => {
      const saved = await hub
        .ask(ADMIN_ROUTES.policies.save, { path: { id }, body: { text: await readText(cli, file) } })
        .catch((error: unknown) => {
          if (!isAboutText(error)) throw error;
          const { message, code, details } = error;
          throw new CliError(message, { code, details, exitCode: EXIT_FAILED, cause: error });
        });
      show(cli, options, saved, () => cli.terminal.print(`Saved the policy ${id}. It is in force.`));
    }),
  );
  addHubCommand(parent, {
    usage: 'remove <id>',
    summary: 'Remove a policy document that the hub keeps',
    examples: ['crosspoint policy remove ci'],
  }).action((id: string, options: HubOptions & OutputOptions) =>
    withHub(cli, options, async (hub) => {
      await hub.ask(ADMIN_ROUTES.policies.remove, { path: { id } });
      show(cli, options, { id, removed: true }, () => cli.terminal.print(`Removed the policy ${id}.`));
    }),
  );
}

/** What is wrong is in the file, and not in the command line that names it. */
function isAboutText(error: unknown): error is CliError {
  return error instanceof CliError && error.details?.['field'] === 'text';
}

async function readText(cli: Cli, file: string): Promise<string> {
  if (file === '-') return readStdin(cli.stdin, MAX_POLICY_BYTES, 'a policy document');
  try {
    return readFileSync(resolve(cli.folder, file), 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    throw new CliError(`${file} cannot be read`, { cause: error });
  }
}
