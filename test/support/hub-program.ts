import { join } from 'node:path';
import { ROOT } from '../../scripts/repository.js';

/** The command line as arguments to Node: as built, where a whole test run has just built it, else from its sources. */
export const HUB_PROGRAM: readonly string[] =
  process.env['CROSSPOINT_TEST_BUILT'] === '1'
    ? [join(ROOT, 'dist', 'cli', 'index.js')]
    : ['--import', import.meta.resolve('tsx'), join(ROOT, 'src', 'cli', 'index.ts')];
