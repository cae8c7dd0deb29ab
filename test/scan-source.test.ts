import { describe, expect, test } from 'vitest';
import { scanSource } from './scan-source.js';

function specifiersOf(text: string): readonly (string | undefined)[] {
  return scanSource(text).imports.map((each) => each.specifier);
}

describe('imports', () => {
  test.each<[string, string, readonly (string | undefined)[]]>([
    ['default', `import a from './a.js';`, ['./a.js']],
    ['named', `import { a, b as c } from "./a.js";`, ['./a.js']],
    ['namespace', `import * as a from 'node:fs';`, ['node:fs']],
    ['several lines', `import {\n  a,\n  type B,\n} from './a.js';`, ['./a.js']],
    ['side effect', `import './a.js';`, ['./a.js']],
    [
      'side effect, then another, no semicolons',
      `import './a.js'\nimport b from './b.js'\n`,
      ['./b.js', './a.js'],
    ],
    ['type', `import type { A } from './a.js';`, ['./a.js']],
    ['a default import named type', `import type from './a.js';`, ['./a.js']],
    ['a type import named from', `import type from from './a.js';`, ['./a.js']],
    ['a binding named from', `import { from } from './a.js';`, ['./a.js']],
    ['names in quotes', `import { 'a-b' as c } from './a.js';`, ['./a.js']],
    ['attributes', `import a from './a.json' with { type: 'json' };`, ['./a.json']],
    ['re-export', `export { a } from './a.js';`, ['./a.js']],
    ['star', `export * from './a.js';`, ['./a.js']],
    ['named star', `export * as a from './a.js';`, ['./a.js']],
    ['type re-export', `export type { A } from './a.js';`, ['./a.js']],
    ['dynamic', `const a = await import('./a.js');`, ['./a.js']],
    ['dynamic over lines', `const a = await import(\n  './a.js'\n);`, ['./a.js']],
    ['dynamic with a template', 'await import(`./a.js`);', ['./a.js']],
    ['dynamic with a comment inside', `await import(/* why */ './a.js');`, ['./a.js']],
    ['computed', `await import(name);`, [undefined]],
    ['computed with a template', 'await import(`./${name}.js`);', [undefined]],
    ['in a type', `type A = typeof import('./a.js');`, ['./a.js']],
    ['require', `const a = require('./a.cjs');`, ['./a.cjs']],
    ['inside a substitution', "const a = `${await import('./a.js')}`;", ['./a.js']],
    ['after a nested template', 'const a = `x${`y${1}`}z`;\nimport b from "./b.js";', ['./b.js']],
    [
      'after an object in a substitution',
      'const a = `${f({ b: {} })}`;\nimport b from "./b.js";',
      ['./b.js'],
    ],
    ['after a regular expression with quotes', `const a = /['"\`]/;\nimport b from './b.js';`, ['./b.js']],
    ['after a class with a slash', `x.replace(/[/'"]/g, '');\nimport b from './b.js';`, ['./b.js']],
    ['after divisions', `const a = b / c / d; // it's\nimport b from './b.js';`, ['./b.js']],
    ['after an escaped quote', `const a = 'it\\'s';\nimport b from './b.js';`, ['./b.js']],
    ['no spaces', `import{a}from'./a.js';export{b}from"./b.js"`, ['./a.js', './b.js']],
  ])('%s', (_name, text, expected) => {
    expect(specifiersOf(text)).toEqual(expected);
  });

  test.each<[string, string]>([
    ['a line comment', `// import a from './a.js';`],
    ['a block comment', `/*\nimport a from './a.js';\n*/`],
    ['a comment after code', `const a = 1; /* import('./a.js') */`],
    ['a string', `const a = "import a from './a.js';";`],
    ['a template', "const a = `\nimport a from './a.js';\nimport('./b.js')`;"],
    ['a template after a substitution', "const a = `${b}\nimport a from './a.js';`;"],
    ['a regular expression', `const a = /import a from '.\\/a.js'/;`],
    ['a comment mark in a string', `const a = '// '; const b = "import('./a.js')";`],
    ['a declaration with a string', `export const from: 'a' | 'b' = 'a';`],
    ['a member called from', `export const a = { from: 'x', import: 'y' };`],
    ['an interface with from', `export interface A {\n  readonly from: 'x';\n}`],
    ['a function called from', `export function from(a = 'x'): string { return a; }`],
    ['a method called import', `loader.import('./a.js');`],
    ['a method called require', `interface P { require(call: Call): void }\npolicy.require('x');`],
    ['import.meta', `const a = new URL('./a.js', import.meta.url);`],
    ['a longer word', `reimport('./a.js'); importFrom('./b.js');`],
  ])('none in %s', (_name, text) => {
    expect(specifiersOf(text)).toEqual([]);
  });

  test.each<[string, boolean]>([
    [`import type { A } from './a.js';`, true],
    [`export type { A } from './a.js';`, true],
    [`import type A from './a.js';`, true],
    [`import type * as a from './a.js';`, true],
    [`import { type A } from './a.js';`, false],
    [`import type from './a.js';`, false],
    [`import type, { a } from './a.js';`, false],
    [`import { a } from './a.js';`, false],
  ])('%s only types: %s', (text, typeOnly) => {
    expect(scanSource(text).imports).toEqual([{ specifier: './a.js', typeOnly }]);
  });
});

test('the code keeps every offset and every line', () => {
  const text = "const a = 'x'; // y\n/* z\n */ const b = `p${q}r`; const c = /s'/u;\n";
  const { code } = scanSource(text);
  expect(code).toHaveLength(text.length);
  expect(code).toBe("const a = ' ';     \n    \n    const b = `  {q} `; const c = /  /u;\n");
});

test('strings are told with their contents, templates only when they are constant', () => {
  expect(scanSource("f('a', \"b\", `c`, `d${e}`, /f/); // 'g'").strings).toEqual(['a', 'b', 'c']);
});

test('unfinished literals end with the text', () => {
  for (const text of ["'abc", '`abc', '`abc${', '/* abc', '// abc', 'a = /abc', "'abc\\"]) {
    expect(scanSource(text).imports, text).toEqual([]);
  }
});
