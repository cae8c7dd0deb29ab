import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '../scripts/repository.js';
import { runTool } from '../scripts/run-program.js';

/** What the linter must refuse. A rule that is misspelt or switched off fails here, not silently. */
const REFUSED: readonly (readonly [rule: string, file: string, code: string])[] = [
  ['no-floating-promises', 'src/floating.ts', 'export function f(): void {\n  Promise.resolve(1);\n}'],
  [
    'no-misused-promises',
    'src/misused.ts',
    'export const f = (): void => {\n  [1].forEach(async () => {});\n};',
  ],
  ['no-cycle', 'src/one.ts', `import { two } from './two.js';\nexport const one = (): unknown => two;`],
  ['no-default-export', 'src/default.ts', 'export default 1;'],
  ['no-explicit-any', 'src/any.ts', 'export const a: any = 1;'],
  ['no-unsafe-assignment', 'src/implicit.ts', `export const a: string = JSON.parse('1');`],
  ['no-restricted-imports', 'src/exec.ts', `export { exec } from 'node:child_process';`],
  [
    'no-restricted-imports',
    'src/exec-sync.ts',
    `import { execSync } from 'node:child_process';\nexecSync('x');`,
  ],
  [
    'no-restricted-imports',
    'src/exec-in-all.ts',
    `import * as all from 'node:child_process';\nall.exec('x');`,
  ],
  ['no-restricted-imports', 'src/unprefixed.ts', `import { spawn } from 'child_process';\nspawn('x');`],
  ['no-console', 'src/console.ts', 'console.log(1);'],
  ['max-lines-per-function', 'src/long.ts', `export function f(): void {\n${'  void 0;\n'.repeat(60)}}`],
  ['max-lines', 'src/long-file.ts', '// x\n'.repeat(351)],
  ['filename-case', 'src/camelCase.ts', 'export const a = 1;'],
  [
    'no-focused-tests',
    'src/only.test.ts',
    `import { expect, test } from 'vitest';\ntest.only('x', () => expect(1).toBe(1));`,
  ],
  [
    'no-disabled-tests',
    'src/skip.test.ts',
    `import { expect, test } from 'vitest';\ntest.skip('x', () => expect(1).toBe(1));`,
  ],
  ['expect-expect', 'src/empty.test.ts', `import { test } from 'vitest';\ntest('x', () => {});`],
  [
    'switch-exhaustiveness-check',
    'src/switch.ts',
    `export function f(a: 'x' | 'y'): void {\n  switch (a) {\n    case 'x':\n  }\n}`,
  ],
];

const folder = mkdtempSync(join(tmpdir(), 'crosspoint-lint-'));
let findings: readonly { readonly code: string; readonly filename: string }[] = [];

beforeAll(async () => {
  const files = [
    ...REFUSED.map(([, file, code]) => [file, code] as const),
    ['src/two.ts', `import { one } from './one.js';\nexport const two = (): unknown => one;`] as const,
    ['tsconfig.json', JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), include: ['src'] })] as const,
  ];
  // The rules that need types look for their program, and for the types of Node, in the folder they work in.
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  for (const [file, code] of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), `${code}\n`);
  }
  const { output } = await runTool('oxlint', ['-c', join(ROOT, '.oxlintrc.json'), '--format=json', 'src'], {
    cwd: folder,
  });
  findings = (JSON.parse(output) as { readonly diagnostics: typeof findings }).diagnostics;
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test.each(REFUSED)('%s is refused in %s', (rule, file) => {
  const codes = findings.filter(({ filename }) => filename === file).map(({ code }) => code);
  expect(codes).toContainEqual(expect.stringMatching(new RegExp(`\\(${rule}\\)$`)));
});
