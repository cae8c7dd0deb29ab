import { describe, expect, test } from 'vitest';
import { readRepositoryFile, repositoryFiles } from '../scripts/repository.js';
import { MAX_LINES, MAX_MEDIAN_LINES, RULES, trespasses } from './architecture.js';
import { MODULES, type Limit } from './modules.js';
import { SourceTree } from './source-tree.js';

const paths = repositoryFiles().filter((path) => /\.[cm]?[jt]sx?$/.test(path));
const repository = new SourceTree(Object.fromEntries(paths.map((path) => [path, readRepositoryFile(path)])));

describe('the repository', () => {
  for (const rule of RULES) {
    test(rule.name, () => {
      expect(rule.check(repository, MODULES)).toEqual([]);
    });
  }

  for (const file of repository.inSrc) {
    test(`${file.path} keeps to its module`, () => {
      expect(trespasses(file, repository, MODULES)).toEqual([]);
    });
  }
});

const INDEX = '/** Says what it is for, in so many words as it takes. */\n';
const GOOD_MODULES: Readonly<Record<string, Limit>> = {
  low: { uses: [], packages: [], builtins: ['node:fs'] },
  high: { uses: ['low'], packages: ['@some/package'], builtins: [] },
};
const GOOD_TREE = {
  'src/low/index.ts': `${INDEX}export { a } from './a.js';`,
  'src/low/a.ts': `import type { Stats } from 'node:fs';\nexport const a: Stats | undefined = undefined;`,
  'src/high/index.ts': `${INDEX}export { b } from './parts/b.js';`,
  'src/high/parts/b.ts': `import { a } from '../../low/index.js';\nimport '@some/package/part';\nexport const b = a;`,
  'src/high/parts/b.test.ts': `import { test } from 'vitest';\nimport { x } from '../../../test/support/x.js';`,
  'test/support/x.ts': `export const x = spawn('x', [], { shell: false });`,
};

/** The good tree with some files changed, added or (with undefined) taken away. */
function treeWith(changes: Readonly<Record<string, string | undefined>>): SourceTree {
  const texts = Object.entries({ ...GOOD_TREE, ...changes });
  return new SourceTree(
    Object.fromEntries(texts.flatMap(([path, text]) => (text === undefined ? [] : [[path, text]]))),
  );
}

describe('the rules', () => {
  test('find nothing in a good tree', () => {
    const tree = treeWith({});
    expect(RULES.flatMap((rule) => rule.check(tree, GOOD_MODULES))).toEqual([]);
    expect(tree.inSrc.flatMap((file) => trespasses(file, tree, GOOD_MODULES))).toEqual([]);
  });

  const long = 'x;\n'.repeat(MAX_LINES + 1);
  const middling = 'x;\n'.repeat(MAX_MEDIAN_LINES);
  test.each<[string, Readonly<Record<string, string | undefined>>, string]>([
    ['a loose file', { 'src/main.ts': '' }, 'src/main.ts lies loose'],
    ['an unknown folder', { 'src/other/index.ts': INDEX }, 'other is not in the table'],
    ['a folder of mcp', { 'src/mcp/other/index.ts': INDEX }, 'mcp/other is not in the table'],
    ['a missing index', { 'src/low/index.ts': undefined }, 'low has no index.ts'],
    [
      'a silent index',
      { 'src/low/index.ts': `export { a } from './a.js';` },
      'src/low/index.ts does not say what it is for',
    ],
    ['an unused grant', { 'src/low/a.ts': 'export const a = 1;' }, 'low: builtin node:fs'],
    [
      'a circle of files',
      { 'src/low/a.ts': `import type { Stats } from 'node:fs';\nimport { b } from './index.js';` },
      'src/low/index.ts > src/low/a.ts > src/low/index.ts',
    ],
    ['a revision', { 'src/high/c.ts': `export const c = '2025-11-25';` }, 'src/high/c.ts: 2025-11-25'],
    ['capital letters', { 'src/high/cD.ts': '' }, 'src/high/cD.ts'],
    ['a name that says nothing', { 'test/test-utils.ts': '' }, 'test/test-utils.ts'],
    ['a star', { 'src/high/c.ts': `export * from './parts/b.js';` }, 'src/high/c.ts'],
    ['a default', { 'src/high/c.ts': 'export default 1;' }, 'src/high/c.ts'],
    ['a default in a list', { 'src/high/c.ts': 'const c = 1;\nexport { c as default };' }, 'src/high/c.ts'],
    ['a long file', { 'src/high/c.ts': long }, `src/high/c.ts: ${MAX_LINES + 1}`],
    [
      'many middling files',
      {
        'src/low/x.ts': middling,
        'src/low/y.ts': middling,
        'src/low/z.ts': middling,
        'src/high/x.ts': middling,
      },
      `the median is ${MAX_MEDIAN_LINES}`,
    ],
    ['a shell', { 'scripts/c.ts': `spawn('x', [], { shell: true });` }, 'scripts/c.ts'],
    ['a shell by name', { 'scripts/c.ts': `spawn('x', [], { cwd, shell });` }, 'scripts/c.ts'],
  ])('find %s', (_name, changes, expected) => {
    const tree = treeWith(changes);
    expect(RULES.flatMap((rule) => rule.check(tree, GOOD_MODULES))).toContain(expected);
  });

  test.each<[string, Readonly<Record<string, Limit>>, string]>([
    [
      'a module that is not there',
      { ...GOOD_MODULES, none: { uses: [], packages: [], builtins: [] } },
      'none does not exist',
    ],
    [
      'an arrow to nowhere',
      { high: { uses: ['gone'], packages: [], builtins: [] } },
      'high uses gone, which is no module',
    ],
    [
      'arrows in a circle',
      {
        low: { uses: ['high'], packages: [], builtins: [] },
        high: { uses: ['low'], packages: [], builtins: [] },
      },
      'low > high > low',
    ],
  ])('find %s', (_name, modules, expected) => {
    expect(RULES.flatMap((rule) => rule.check(treeWith({}), modules))).toContain(expected);
  });

  test.each<[string, string, string, string | undefined]>([
    [
      'a module against the arrows',
      'src/low/c.ts',
      `import '../high/index.js';`,
      'may not use the module high',
    ],
    [
      'only its types',
      'src/low/c.ts',
      `import type { B } from '../high/index.js';`,
      'may not use the module high',
    ],
    [
      'a module past its index',
      'src/high/c.ts',
      `export { a } from '../low/a.js';`,
      'reaches src/low/a.ts past the index of low',
    ],
    ['a package', 'src/low/c.ts', `import x from '@some/package';`, 'may not use the package @some/package'],
    ['a package later', 'src/low/c.ts', `await import('left-pad');`, 'may not use the package left-pad'],
    ['a part of Node', 'src/high/c.ts', `import 'node:net';`, 'may not use the builtin node:net'],
    ['a computed name', 'src/high/c.ts', `await import(name);`, 'imports a computed name'],
    [
      'code outside src',
      'src/high/c.ts',
      `import '../../test/support/x.js';`,
      'leaves src for test/support/x.ts',
    ],
    [
      'a file that is not there',
      'src/high/c.ts',
      `import './gone.js';`,
      'imports src/high/gone.ts, which is not there',
    ],
    [
      'from a test, a module past its index',
      'src/high/c.test.ts',
      `import '../low/a.js';`,
      'reaches src/low/a.ts past the index of low',
    ],
    ['from a test, the face of any module', 'src/low/c.test.ts', `import '../high/index.js';`, undefined],
  ])('on reaching %s', (_name, path, text, expected) => {
    const tree = treeWith({ [path]: text });
    const file = tree.inSrc.find((each) => each.path === path)!;
    expect(trespasses(file, tree, GOOD_MODULES)).toEqual(expected === undefined ? [] : [expected]);
  });
});
