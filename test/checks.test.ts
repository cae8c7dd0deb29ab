import { describe, expect, test } from 'vitest';
import { runTool } from '../scripts/run-program.js';

/** They take a minute together, and several where other work keeps the machine busy. */
const LIMIT_MS = 280_000;

/** The tools that judge the repository as a whole. Each prints what it found, and nothing or little when all is well. */
describe.concurrent('tools', () => {
  test.each<[string, string, readonly string[]]>([
    ['formatted', 'oxfmt', ['--check', '.']],
    ['free of lint', 'oxlint', []],
    ['well typed', 'typescript', ['-p', 'tsconfig.json']],
    ['well typed in the console', 'typescript', ['-p', 'ui/tsconfig.json']],
    ['free of unused files, exports and packages', 'knip', ['--no-progress']],
  ])('the code is %s', { timeout: LIMIT_MS + 10_000 }, async (_name, tool, args) => {
    const { exitCode, output } = await runTool(tool, args, { timeoutMs: LIMIT_MS, env: { NO_COLOR: '1' } });
    // Outside the assertion, so that the report shows it whole and as it is.
    if (exitCode !== 0) throw new Error(`${tool} ${args.join(' ')}\n${output}`);
    expect(exitCode).toBe(0);
  });
});
