import { readdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { build } from 'rolldown';
import { ROOT } from './repository.js';

/**
 * Packages that go into the files themselves, with all that they need: every start of a hub, or of its admin API, reads
 * them. Those that work on schemas of zod have to be here because they must meet the same zod.
 */
const TAKEN_IN = [
  '@hono/zod-openapi',
  'chokidar',
  'commander',
  'cross-spawn',
  'hono',
  'ipaddr.js',
  'kysely',
  'picocolors',
  'zod',
];
const PACKAGES = join(ROOT, 'node_modules');

/**
 * Puts the modules of the command line, one file each as the compiler left them, together in few files that take their
 * place: reading and linking a thousand files is most of a start. What is loaded late is a file of its own still. All of
 * them lie in one folder, as deep as the modules did, because some look for files of the package from where they are.
 */
export async function bundleCommandLine(folder: string): Promise<void> {
  const bundled = join(folder, 'cli-bundled');
  const { output } = await build({
    input: { index: join(folder, 'cli', 'index.js') },
    platform: 'node',
    external: (id, importer) => isOutside(id, importer),
    output: {
      dir: bundled,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      minify: false,
      comments: { legal: true, annotation: false, jsdoc: false },
      // V8 keeps a text with one character beyond Latin-1 in twice the space, for as long as the program runs.
      charset: 'ascii',
    },
    logLevel: 'silent',
  });
  const cli = join(folder, 'cli');
  rmSync(cli, { recursive: true });
  renameSync(bundled, cli);
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  writeFileSync(join(cli, 'LICENSES.txt'), licencesOf(new Set(modules.flatMap(packageOf))));
}

function isOutside(id: string, importer: string | undefined): boolean {
  if (/^[./]/.test(id) || (importer !== undefined && packageOf(importer).length > 0)) return false;
  return !TAKEN_IN.some((name) => id === name || id.startsWith(`${name}/`));
}

/** The folder of the package that a file belongs to, where it belongs to one. */
function packageOf(file: string): string[] {
  const path = relative(realpathSync(PACKAGES), file);
  // Folders with a dot in front are no packages: the bench compiles into one.
  if (path.startsWith('.')) return [];
  const [scope = '', name = ''] = path.split(sep);
  return [scope.startsWith('@') ? join(scope, name) : scope];
}

/** What the licences of packages ask for: their text wherever their code is. */
function licencesOf(names: ReadonlySet<string>): string {
  const texts = [...names].toSorted().map((name) => {
    const place = join(PACKAGES, name);
    const { version, license } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as Manifest;
    const file = readdirSync(place).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? '' : `\n${readFileSync(join(place, file), 'utf8').trim()}\n`;
    return `${name} ${version}: ${license}\n${text}`;
  });
  return texts.join(`\n${'-'.repeat(72)}\n\n`);
}

interface Manifest {
  readonly version: string;
  readonly license: string;
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
