import { copyFileSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'rolldown';
import { ROOT } from './repository.js';

/** Packages that go into the files themselves, because they consist of hundreds which are all read at every start. */
const TAKEN_IN = ['kysely'];

/**
 * Puts the modules of the command line, one file each as the compiler left them, together in few files that take their
 * place: reading and linking a thousand files is most of a start. What is loaded late is a file of its own still. All of
 * them lie in one folder, as deep as the modules did, because some look for files of the package from where they are.
 */
export async function bundleCommandLine(folder: string): Promise<void> {
  const bundled = join(folder, 'cli-bundled');
  await build({
    input: { index: join(folder, 'cli', 'index.js') },
    platform: 'node',
    external: (id) => /^[^./]/.test(id) && !TAKEN_IN.includes(id),
    output: {
      dir: bundled,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      minify: false,
    },
    logLevel: 'silent',
  });
  const cli = join(folder, 'cli');
  rmSync(cli, { recursive: true });
  renameSync(bundled, cli);
  for (const name of TAKEN_IN)
    copyFileSync(join(ROOT, 'node_modules', name, 'LICENSE'), join(cli, `LICENSE-${name}.txt`));
}

const IMPORTED = /(?:from|import)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g;

/** Leaves of a folder what the given files need: they, and whatever they import, for programs and for types. */
export function keepNeeded(folder: string, entries: readonly string[]): void {
  const needed = new Set<string>();
  const add = (path: string): void => {
    if (needed.has(path)) return;
    needed.add(path);
    const text = readFileSync(join(folder, path), 'utf8');
    for (const [, specifier = ''] of text.matchAll(IMPORTED)) {
      const target = join(dirname(path), specifier);
      add(path.endsWith('.d.ts') ? target.replace(/\.js$/, '.d.ts') : target);
    }
  };
  for (const entry of entries) add(entry);
  removeOthers(folder, '', needed);
}

/** True when nothing is left. */
function removeOthers(folder: string, path: string, needed: ReadonlySet<string>): boolean {
  const place = join(folder, path);
  const left = readdirSync(place, { withFileTypes: true }).filter((entry) => {
    const inside = join(path, entry.name);
    const isGone = entry.isDirectory() ? removeOthers(folder, inside, needed) : !needed.has(inside);
    if (isGone) rmSync(join(folder, inside), { recursive: true });
    return !isGone;
  });
  return left.length === 0;
}
