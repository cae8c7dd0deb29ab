import { join } from 'node:path';
import { build } from 'rolldown';
import { ROOT } from '../../scripts/repository.js';

/** A program of the tests as one file that starts at once, for those who start it many times. `source`: its path in the repository. */
export async function bundleProgram(source: string, folder: string): Promise<string> {
  const file = join(folder, 'program.mjs');
  await build({
    input: join(ROOT, source),
    platform: 'node',
    output: { file, format: 'esm', codeSplitting: false },
    logLevel: 'silent',
  });
  return file;
}
