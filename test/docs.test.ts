import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readRepositoryFile, repositoryFiles } from '../scripts/repository.js';
import { anchorsOf, codeBlocksOf, inlineCodeOf, linksOf, npmScriptsOf, tableOf } from './documents.js';
import { MODULES } from './modules.js';

const files = repositoryFiles();
const folders = new Set(files.flatMap(foldersAbove));
const documents = files.filter((path) => path.endsWith('.md'));
const examples = files.filter((path) => /^examples\/[^/]+\.ts$/.test(path) && !path.endsWith('.test.ts'));
const { name, scripts, exports } = JSON.parse(readRepositoryFile('package.json')) as {
  readonly name: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, unknown>>;
};

/** Keys of the hub in `_meta`, which look like entry points and are none. */
const METADATA_KEYS = new Set(
  files
    .filter((path) => /^src\/(?:catalog|edge|operations)\/.*(?<!\.test)\.ts$/.test(path))
    .flatMap((path) =>
      [...readRepositoryFile(path).matchAll(/'(crosspoint\/[a-zA-Z]+)'/g)].map((match) => match[1] ?? ''),
    ),
);

function foldersAbove(path: string): readonly string[] {
  const parent = posix.dirname(path);
  return parent === '.' ? [] : [parent, ...foldersAbove(parent)];
}

function exists(path: string): boolean {
  return files.includes(path) || folders.has(path.replace(/\/$/, ''));
}

test.each([
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'LICENSE',
  'docs/library.md',
])('there is %s', (path) => {
  expect(files).toContain(path);
  expect(readRepositoryFile(path).length).toBeGreaterThan(200);
});

describe.each(documents)('%s', (path) => {
  const text = readRepositoryFile(path);

  test('links to what is there', () => {
    const broken = linksOf(text).filter((link) => {
      if (/^[a-z][a-z0-9+.-]*:/i.test(link)) return false;
      const [target = '', anchor] = link.split('#');
      const to = target === '' ? path : posix.join(posix.dirname(path), decodeURIComponent(target));
      if (!exists(to)) return true;
      return (
        anchor !== undefined && to.endsWith('.md') && !anchorsOf(readRepositoryFile(to)).includes(anchor)
      );
    });
    expect(broken).toEqual([]);
  });

  test('names files and folders that are there', () => {
    const paths = inlineCodeOf(text).filter((code) =>
      /^(?:src|test|docs|scripts|examples|bench)\/[\w./-]*$/.test(code),
    );
    expect(paths.filter((each) => !exists(each))).toEqual([]);
  });

  test('names scripts and entry points of the package that are there', () => {
    expect(npmScriptsOf(text).filter((script) => scripts[script] === undefined)).toEqual([]);
    const entries = [...text.matchAll(new RegExp(`['"\`]${name}(/[\\w./-]+)?['"\`]`, 'g'))].map(
      ([, entry]) => `.${entry ?? ''}`,
    );
    const missing = entries.filter((entry) => entry !== '.' && exports[entry] === undefined);
    expect(missing.filter((entry) => !METADATA_KEYS.has(`${name}${entry.slice(1)}`))).toEqual([]);
  });

  // A block that begins with `// examples/x.ts` is the whole of that file or a part of it, to the letter.
  test('shows examples as they are', () => {
    const changed = codeBlocksOf(text).flatMap((block) => {
      const match = /^\/\/ (examples\/\S+)\n/.exec(block.text);
      if (match?.[1] === undefined) return [];
      const shown = block.text.slice(match[0].length).trim();
      return exists(match[1]) && readRepositoryFile(match[1]).includes(shown) ? [] : [match[1]];
    });
    expect(changed).toEqual([]);
  });
});

describe('docs/library.md', () => {
  const text = files.includes('docs/library.md') ? readRepositoryFile('docs/library.md') : '';

  test('shows no TypeScript that is not an example', () => {
    const loose = codeBlocksOf(text).filter(
      (block) => /^(?:ts|typescript)$/.test(block.language) && !/^\/\/ examples\/\S+\n/.test(block.text),
    );
    expect(loose.map((block) => block.text)).toEqual([]);
  });

  test('tells of every entry point', () => {
    const entries = Object.keys(exports).filter((entry) => entry !== './package.json');
    expect(entries.filter((entry) => !text.includes(`${name}${entry.slice(1)}`))).toEqual([]);
  });
});

test.each(examples)('%s is run by a test', (path) => {
  const stem = posix.basename(path, '.ts');
  const tests = files.filter((file) => file.endsWith('.test.ts') && /^(?:examples|test)\//.test(file));
  expect(tests.some((file) => readRepositoryFile(file).includes(stem))).toBe(true);
});

test('ARCHITECTURE.md has the module table', () => {
  const table = tableOf(readRepositoryFile('ARCHITECTURE.md'), 'module').map(([module, , uses, packages]) => [
    module,
    uses,
    packages,
  ]);
  const list = (names: readonly string[]): string => (names.length === 0 ? '–' : names.join(', '));
  const expected = Object.entries(MODULES).map(([module, { uses, packages }]) => [
    module,
    list(uses),
    list(packages),
  ]);
  expect(table).toEqual(expected);
});

test('CONTRIBUTING.md tells of every script', () => {
  const told = npmScriptsOf(readRepositoryFile('CONTRIBUTING.md'));
  expect(Object.keys(scripts).filter((script) => script !== 'prepack' && !told.includes(script))).toEqual([]);
});

test('scripts run files that are there', () => {
  const named = Object.values(scripts).flatMap(
    (script) => script.match(/(?<=\s)[\w./-]+\.(?:[cm]?[jt]s|json)\b/g) ?? [],
  );
  expect(named.filter((path) => !path.startsWith('dist/') && !exists(path))).toEqual([]);
});

test('decisions are numbered and say why, what and with which consequences', () => {
  const decisions = documents.filter((path) => path.startsWith('docs/decisions/'));
  expect(decisions.length).toBeGreaterThan(0);
  decisions.forEach((path, index) => {
    const number = String(index + 1).padStart(4, '0');
    expect(path).toMatch(new RegExp(`^docs/decisions/${number}-[a-z0-9-]+\\.md$`));
    expect(anchorsOf(readRepositoryFile(path)).slice(1)).toEqual(['context', 'decision', 'consequences']);
  });
});

test('CHANGELOG.md begins with what is not released yet', () => {
  expect(anchorsOf(readRepositoryFile('CHANGELOG.md')).slice(0, 2)).toEqual(['changelog', 'unreleased']);
});
