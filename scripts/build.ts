/** `npm run build`: the command line in few files, the library in one file for each module, the console. */
import { chmodSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundleCommandLine, keepNeeded } from './bundle-command-line.js';
import { ROOT } from './repository.js';
import { runTool } from './run-program.js';

interface Manifest {
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}

const LIMIT_MS = 10 * 60_000;

async function run(tool: string, args: readonly string[]): Promise<void> {
  const { exitCode, output } = await runTool(tool, args, { timeoutMs: LIMIT_MS });
  if (output !== '') console.error(output.trimEnd());
  if (exitCode !== 0) throw new Error(`${tool} failed`);
}

/** Files behind the entry points, relative to the folder of what was built. */
function entryFiles(): readonly string[] {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
  return Object.values(exports)
    .flatMap((target) => (typeof target === 'string' ? [] : Object.values(target)))
    .map((path) => path.replace('./dist/', ''));
}

async function buildCode(): Promise<void> {
  await run('typescript', ['-p', 'tsconfig.build.json', '--outDir', fresh]);
  await bundleCommandLine(fresh);
  const bundled = readdirSync(join(fresh, 'cli')).map((name) => join('cli', name));
  keepNeeded(fresh, [...entryFiles(), ...bundled]);
  // npm does so only when it first links the command, not when it was built again since.
  chmodSync(join(fresh, 'cli', 'index.js'), 0o755);
}

function removeFresh(): void {
  for (const folder of [fresh, ui]) rmSync(folder, { recursive: true, force: true });
}

const dist = join(ROOT, 'dist');
// Put together aside: whoever runs what was built before goes on with it until there is something new.
const fresh = join(ROOT, 'dist.new');
/** Beside it, because both are made at the same time and code that is not needed is removed. */
const ui = join(ROOT, 'dist.new-ui');
removeFresh();
try {
  const toUi = ['--outDir', ui, '--emptyOutDir'];
  const built = await Promise.allSettled([
    buildCode(),
    run('vite', ['build', '--config', 'ui/vite.config.ts', '--logLevel', 'warn', ...toUi]),
  ]);
  for (const part of built) if (part.status === 'rejected') throw part.reason;
  renameSync(ui, join(fresh, 'ui'));
  rmSync(dist, { recursive: true, force: true });
  renameSync(fresh, dist);
} finally {
  removeFresh();
}
