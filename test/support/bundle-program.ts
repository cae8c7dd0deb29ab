import { join } from 'node:path';
import { build } from 'rolldown';
import { ROOT } from '../../scripts/repository.js';

/** A program of the tests as one file that starts at once, for those who start it many times. */
export async function bundleProgram(source: string, folder: string): Promise<string> {
  const file = join(folder, 'program.mjs');
  await build({
    input: join(ROOT, 'test', 'support', source),
    platform: 'node',
    output: { file, format: 'esm', codeSplitting: false },
    logLevel: 'silent',
  });
  return file;
}
