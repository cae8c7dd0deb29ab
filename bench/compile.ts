import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleCommandLine } from '../scripts/bundle-command-line.js';
import { ROOT } from '../scripts/repository.js';
import { runTool } from '../scripts/run-program.js';

export interface CompiledBench {
  /** Absolute path of a compiled worker. */
  worker(name: string): string;
  /** Absolute path of any other compiled file, by its path in the repository. */
  program(path: string): string;
  remove(): void;
}

/**
 * Compiles the library and the workers, so that what is measured is what would be published: a loader that compiles on
 * the fly wraps every function it meets. The folder lies where the packages of the repository can be found.
 */
export async function compileBench(): Promise<CompiledBench> {
  const cache = join(ROOT, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'crosspoint-bench-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module","version":"0.0.0"}\n');
  const { exitCode, output } = await runTool('typescript', ['-p', 'bench/tsconfig.json', '--outDir', folder]);
  if (exitCode !== 0) {
    remove();
    throw new Error(`The bench could not be compiled:\n${output}`);
  }
  await bundleCommandLine(join(folder, 'src'));
  return {
    worker: (name) => join(folder, 'bench', 'workers', `${name}.js`),
    program: (path) => join(folder, path),
    remove,
  };
}
