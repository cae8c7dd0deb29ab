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

/** `crosspoint connector sync ID --accept`, in code, in a block, or in quotes of a message; with its options. */
const NAMED = /(?:[`"(]|^(?:npx )?|npx |\| )crosspoint ([a-z][^`"\n]*)/gm;

test('whatever text names a command, it is there and takes these options', () => {
  const files = repositoryFiles().filter(
    (path) =>
      /^(?!docs\/decisions\/).*\.md$/.test(path) ||
      /^(?:src|ui\/src)\/(?!cli\/).*(?<!\.test)\.tsx?$/.test(path),
  );
  const named = files.flatMap((path) =>
    [...readRepositoryFile(path).matchAll(NAMED)].map(([, line = '']) => ({ path, line })),
  );
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ line }) => !isThere(line)).map(({ path, line }) => `${path}: ${line}`)).toEqual([]);
});

function isThere(line: string): boolean {
  const words = line.split(/ -- |[;|&#]/)[0]?.split(/\s+/) ?? [];
  let command: Command = program;
  for (const word of words) {
    const below = command.commands.find((child) => child.name() === word);
    if (below === undefined) break;
    command = below;
  }
  const options = words.flatMap((word) => /^\[?(--[a-z][a-z-]*)/.exec(word)?.slice(1) ?? []);
  const known = [...command.options.map(({ long }) => long), '--help'];
  // A group may be named by itself.
  const isNamed = words.length === 1 || commands.some((each) => each.command === command);
  return command !== program && isNamed && options.every((option) => known.includes(option));
}
