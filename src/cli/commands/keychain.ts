import type { Command } from 'commander';
import { addCommand } from '../add-command.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import { readSecret } from '../read-secret.js';

/** Works on the keychain of this machine, which is the hub's own where it runs here. */
export function addKeychainCommands(program: Command, cli: Cli): void {
  const parent = program
    .command('keychain')
    .description("Values in this machine's keychain that connectors refer to as keychain:NAME");
  addCommand(parent, {
    usage: 'set <name>',
    summary: 'Keep a value in the keychain: asked for, or piped in',
    examples: [
      'crosspoint keychain set tracker',
      'crosspoint connector add tracker --url https://tracker.example.com/mcp --header "Authorization: keychain:tracker"',
    ],
  }).action(async (name: string, options: OutputOptions) => {
    const keychain = await openKeychain();
    keychain.save(name, await readSecret(cli, `Value of ${name}`));
    show(cli, options, { name }, () => cli.terminal.print(`Kept. Refer to it as keychain:${name}`));
  });
  addCommand(parent, {
    usage: 'remove <name>',
    summary: 'Remove a value from the keychain',
    examples: ['crosspoint keychain remove tracker'],
  }).action(async (name: string, options: OutputOptions) => {
    const removed = (await openKeychain()).remove(name);
    show(cli, options, { name, removed }, () =>
      cli.terminal.print(removed ? `Removed ${name}.` : `There was no ${name}.`),
    );
  });
}

async function openKeychain() {
  const { createKeychain } = await import('../../app/index.js');
  return createKeychain('crosspoint');
}
