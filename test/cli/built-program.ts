import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT } from '../../scripts/repository.js';

export interface BuiltProgram {
  /** What `crosspoint` runs. */
  readonly entry: string;
  close(): Promise<void>;
}

/** The program as it is published: module by module, in a package of its own, so that it starts as fast as for users. */
export async function buildProgram(): Promise<BuiltProgram> {
  const cache = join(ROOT, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'crosspoint-program-'));
  const source = (path: string): string => join(ROOT, 'src', path, 'index.ts');
  const bundle = await rolldown({
    input: ['cli', 'mcp/server', 'mcp/transports'].map(source),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    logLevel: 'silent',
  });
  await bundle.write({
    dir: join(folder, 'dist'),
    format: 'esm',
    preserveModules: true,
    preserveModulesRoot: join(ROOT, 'src'),
  });
  await bundle.close();
  for (const part of ['package.json', 'examples'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  return {
    entry: join(folder, 'dist', 'cli', 'index.js'),
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}
