import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { createProgram } from '../../src/cli/run-cli.js';
import { readRepositoryFile, repositoryFiles } from '../../scripts/repository.js';

const program = await createProgram({} as never);
const commands = leaves(program, []);

function leaves(
  command: Command,
  path: readonly string[],
): { readonly name: string; readonly command: Command }[] {
  const below = command.commands.flatMap((child) => leaves(child, [...path, child.name()]));
  // A group that does something of its own, such as `events`, is a command too.
  const isCommand = path.length > 0 && (command.commands.length === 0 || command.options.length > 0);
  return [...(isCommand ? [{ name: path.join(' '), command }] : []), ...below];
}

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}

test('there is every command that was promised', () => {
  expect(commands.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'serve',
      ...['add', 'list', 'show', 'sync', 'enable', 'disable', 'remove', 'connect', 'health'].map(
        (word) => `connector ${word}`,
      ),
      'import',
      'tools',
      'call',
      'events',
      'events verify',
      'doctor',
      'backup',
      'restore',
      ...['add', 'list', 'remove', 'key add', 'key revoke'].map((word) => `agent ${word}`),
      'policy check',
      'policy explain',
      'config check',
      'config show',
      'config schema',
    ]),
  );
});

describe.each(commands)('$name', ({ name, command }) => {
  test('says what it does, shows an example and can print JSON', () => {
    const help = helpOf(command);
    expect(command.description()).not.toBe('');
    expect(help).toMatch(new RegExp(`Examples?:\\n +(?:\\S.*\\| )?crosspoint ${name}`));
    expect(help).toContain('--json');
  });

  test('is told of in the document', () => {
    expect(readRepositoryFile('docs/cli.md')).toContain(`crosspoint ${name}`);
  });

  test('shows no secret on a command line in its examples', () => {
    expect(helpOf(command).split(/Examples?:/)[1]).not.toMatch(/--token|Bearer /);
  });
});

test('the document tells of no command that is not there', () => {
  const told = [
    ...readRepositoryFile('docs/cli.md').matchAll(/^\| `crosspoint ([a-z][a-z-]*(?: [a-z][a-z-]*)*)/gm),
  ].map(([, name = '']) => name);
  expect(told.filter((name) => !commands.some((command) => command.name === name))).toEqual([]);
  expect(new Set(told)).toEqual(new Set(commands.map(({ name }) => name)));
});

test.each(repositoryFiles().filter((path) => /^(?:docs\/.*|[A-Z]+)\.md$/.test(path)))(
  '%s names no command that is not there',
  (path) => {
    const named = [...readRepositoryFile(path).matchAll(/(?:^|`)(?:npx )?crosspoint ([a-z][a-z -]*)/gm)];
    expect(named.map(([, words = '']) => words.trim()).filter((words) => !isKnown(words.split(' ')))).toEqual(
      [],
    );
  },
);

/** What comes after the name of a command is its own. */
function isKnown(words: readonly string[], command: Command = program): boolean {
  const [word, ...rest] = words;
  const child = command.commands.find((one) => one.name() === word);
  if (child !== undefined) return isKnown(rest, child);
  return command !== program && (word === undefined || word.startsWith('-') || command.commands.length === 0);
}
