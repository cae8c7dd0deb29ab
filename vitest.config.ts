import { defineConfig } from 'vitest/config';

/**
 * One project for each kind of test. In a whole run they go one after another, the quick ones first, because several
 * measure time and two cores are all there is.
 */
function project(
  order: number,
  name: string,
  timeoutMs: number,
  include: string[],
  more: { readonly exclude?: string[]; readonly maxWorkers?: number; readonly isolate?: boolean } = {},
) {
  return {
    extends: true as const,
    test: {
      name,
      include,
      exclude: ['**/node_modules/**', '**/dist/**', ...(more.exclude ?? [])],
      maxWorkers: more.maxWorkers ?? 2,
      isolate: more.isolate ?? true,
      // Ten times what a quiet machine needs: a test that hangs still ends, one on a loaded machine still passes.
      testTimeout: timeoutMs,
      hookTimeout: timeoutMs,
      sequence: { groupOrder: order },
    },
  };
}

const ALONE = ['bench', 'browser', 'clients', 'endurance', 'replicas'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);
/** They replace modules, which no other file of their worker may have loaded before. `test/module-mocks.test.ts` looks for others. */
const REPLACING = [
  'src/app/serve.test.ts',
  'src/coordination/open-coordination.test.ts',
  'src/storage/sqlite/checkpoints.test.ts',
];
/** For processes and timers, a third of the time. */
const MOSTLY_WAITING = { maxWorkers: 3 };

export default defineConfig({
  test: {
    pool: 'forks',
    restoreMocks: true,
    unstubEnvs: true,
    projects: [
      project(1, 'check', 300_000, ['test/*.test.ts']),
      // No module keeps state of its own, so the files of a worker can share them: loading them was two thirds of the time.
      project(2, 'unit', 30_000, ['{src,ui,examples,scripts,bench}/**/*.test.ts'], {
        exclude: REPLACING,
        isolate: false,
      }),
      project(2, 'unit-alone', 30_000, REPLACING),
      project(3, 'integration', 60_000, ['test/*/**/*.test.ts'], {
        exclude: [...ALONE, 'test/package/**', 'test/conformance/**'],
        isolate: false,
        ...MOSTLY_WAITING,
      }),
      // These count processes, descriptors or memory, replace modules, or have a browser to themselves.
      project(3, 'integration-alone', 60_000, ALONE, MOSTLY_WAITING),
      // Last, because it builds the package anew.
      project(4, 'package', 300_000, ['test/package/**/*.test.ts'], { maxWorkers: 1 }),
      // One after another with these: the suites give servers little time.
      project(4, 'conformance', 300_000, ['test/conformance/**/*.test.ts'], { maxWorkers: 1 }),
    ],
  },
});
