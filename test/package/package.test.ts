import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRepositoryFile, ROOT } from '../../scripts/repository.js';
import { runNpm, runProgram, runTool, type ProgramOutcome } from '../../scripts/run-program.js';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly bin?: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readRepositoryFile('package.json')) as Manifest;
/** Entry points with code, as a consumer writes them, and the module each one is the face of. */
const entries = Object.entries(manifest.exports).flatMap(([path, target]) =>
  typeof target === 'string'
    ? []
    : [
        {
          specifier: `${manifest.name}${path.slice(1)}`,
          source: target.default.replace(/^\.\/dist\/(.*)\.js$/, 'src/$1.ts'),
        },
      ],
);

const folder = mkdtempSync(join(tmpdir(), 'crosspoint-package-'));
const consumer = join(folder, 'consumer');
const installed = join(consumer, 'node_modules', manifest.name);
const tarball = join(folder, `${manifest.name}-${manifest.version}.tgz`);

function expectDone({ exitCode, output }: ProgramOutcome): void {
  expect(exitCode, output).toBe(0);
}

/** Runs a module in the folder of somebody who installed the package. */
function runAsConsumer(name: string, code: string): Promise<ProgramOutcome> {
  writeFileSync(join(consumer, name), code);
  return runProgram(process.execPath, ['--no-warnings', name], { cwd: consumer });
}

beforeAll(async () => {
  expectDone(await runNpm(['pack', '--pack-destination', folder], { timeoutMs: 240_000 }));
  mkdirSync(consumer);
  const empty = { name: 'consumer', private: true, type: 'module' };
  writeFileSync(join(consumer, 'package.json'), JSON.stringify(empty));
  expectDone(
    await runNpm(
      ['install', tarball, '--prefer-offline', '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund'],
      { cwd: consumer, timeoutMs: 240_000 },
    ),
  );
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('holds the built code and its documents, and nothing else', () => {
  const files = readdirSync(installed, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(installed.length + 1)
        .replaceAll('\\', '/'),
    );
  const documents = [
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'crosspoint.schema.json',
    'docs/library.md',
    'docs/tool-loops.md',
    'examples/sample-server.mjs',
    'package.json',
  ];
  const consoleFiles = files.filter((path) => path.startsWith('dist/ui/'));
  expect(consoleFiles).toContain('dist/ui/index.html');
  expect(
    consoleFiles.filter((path) => !/^dist\/ui\/(?:index\.html|console\/[\w-]+\.(?:js|css|svg))$/.test(path)),
  ).toEqual([]);
  // Few files: what is loaded at a start is one read, not hundreds.
  const program = files.filter((path) => path.startsWith('dist/cli/'));
  expect(program).toContain('dist/cli/index.js');
  expect(program).toContain('dist/cli/LICENSES.txt');
  expect(program.filter((path) => !/^dist\/cli\/(?:[\w-]+\.js|LICENSES\.txt)$/.test(path))).toEqual([]);
  expect(program.length).toBeLessThan(80);
  const code = files.filter((path) => ![documents, consoleFiles, program].flat().includes(path));
  expect(documents.filter((path) => !files.includes(path))).toEqual([]);
  expect(code.filter((path) => !/^dist\/.*\.(?:js|d\.ts)$/.test(path))).toEqual([]);
  expect(code.filter((path) => /\.test\.|(?:^|\/)test\//.test(path))).toEqual([]);
  // Exactly one declaration for each file of code: nothing left over from an earlier build.
  const sources = code
    .filter((path) => path.endsWith('.js'))
    .map((path) => path.replace(/^dist\/(.*)\.js$/, 'src/$1.ts'));
  expect(sources.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

describe.each(entries)('$specifier', ({ specifier, source }) => {
  test('can be imported, and offers what its module offers', async () => {
    const code = `import * as entry from ${JSON.stringify(specifier)};\nconsole.log(JSON.stringify(Object.keys(entry)));`;
    const outcome = await runAsConsumer('import.js', code);
    expectDone(outcome);
    const face = (await import(pathToFileURL(join(ROOT, source)).href)) as object;
    const names = Object.keys(face);
    expect(names.length).toBeGreaterThan(0);
    expect((JSON.parse(outcome.output) as string[]).toSorted()).toEqual(names.toSorted());
  });
});

test('can be type checked by a strict consumer who checks libraries too, and so can the examples', async () => {
  const examples = readdirSync(join(ROOT, 'examples')).filter((name) => name.endsWith('.ts'));
  for (const name of examples) copyFileSync(join(ROOT, 'examples', name), join(consumer, name));
  const lines = entries.flatMap(({ specifier }, index) => [
    `import * as entry${index} from '${specifier}';`,
    `export const names${index}: readonly string[] = Object.keys(entry${index});`,
    `// @ts-expect-error: the types are real ones, so a name that is not there is an error`,
    `export const missing${index} = entry${index}.noSuchName;`,
  ]);
  writeFileSync(join(consumer, 'consumer.ts'), lines.join('\n'));
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2023',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
    typeRoots: [join(ROOT, 'node_modules', '@types')],
    types: ['node'],
  };
  const files = ['consumer.ts', ...examples];
  writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  expectDone(await runTool('typescript', ['-p', consumer]));
});

test('tells its manifest, and keeps its inside to itself', async () => {
  const code = `
    import manifest from '${manifest.name}/package.json' with { type: 'json' };
    console.log(manifest.version);
    await import('${manifest.name}/dist/mcp/jsonrpc/index.js').catch((error) => console.log(error.code));
  `;
  const outcome = await runAsConsumer('manifest.js', code);
  expectDone(outcome);
  expect(outcome.output.trim().split('\n')).toEqual([manifest.version, 'ERR_PACKAGE_PATH_NOT_EXPORTED']);
});

test('brings a sample server that runs as it is', async () => {
  const code = `
    import { connect } from '${manifest.name}/client';
    const client = await connect({
      command: process.execPath,
      args: ['node_modules/${manifest.name}/examples/sample-server.mjs'],
      info: { name: 'consumer', version: '1.0.0' },
    });
    const { structuredContent } = await client.callTool('add', { a: 2, b: 3 });
    console.log(JSON.stringify(structuredContent));
    await client.close();
  `;
  const outcome = await runAsConsumer('sample.js', code);
  expectDone(outcome);
  expect(outcome.output.trim()).toBe('{"sum":5}');
});

for (const name of Object.keys(manifest.bin ?? {})) {
  test(`has the program ${name}`, async () => {
    const program = join(installed, manifest.bin?.[name] ?? '');
    expect(readFileSync(program, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expectDone(await runProgram(process.execPath, [program, '--help'], { cwd: consumer }));
  });
}

test('is well made in the eyes of publint', async () => {
  expectDone(await runTool('publint', [tarball, '--strict']));
});

test('has types that resolve for every consumer of ES modules', async () => {
  expectDone(await runTool('@arethetypeswrong/cli', [tarball, '--profile', 'esm-only', '--no-color']));
});
