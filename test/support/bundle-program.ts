import { join } from 'node:path';
import { build } from 'rolldown';
import { ROOT } from '../../scripts/repository.js';

/**
 * A program of the tests as one file that starts at once, for those who start it many times. `source`: its path in the repository.
 * `packages`: whether they are in the file too, or found from its folder.
 */
export async function bundleProgram(
  source: string,
  folder: string,
  { packages = 'inside' }: { readonly packages?: 'inside' | 'outside' } = {},
): Promise<string> {
  const file = join(folder, 'program.mjs');
  await build({
    input: join(ROOT, source),
    platform: 'node',
    ...(packages === 'outside' && { external: /^[^./]/ }),
    output: { file, format: 'esm', codeSplitting: false },
    logLevel: 'silent',
  });
  return file;
}
