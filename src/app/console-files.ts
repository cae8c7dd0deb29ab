import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { ConsoleFile, ConsoleFiles } from '../edge/index.js';

/** Beside this program where it is built, in the build of the repository where it runs from its sources. */
const FOLDERS = ['../ui', '../../dist/ui'].map((path) => fileURLToPath(new URL(path, import.meta.url)));

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Reads the built console when somebody first asks for it, and keeps it. */
export function createConsoleFiles(): () => ConsoleFiles | undefined {
  let files: ConsoleFiles | undefined;
  return () => (files ??= findConsole());
}

function findConsole(): ConsoleFiles | undefined {
  const folder = FOLDERS.find((path) => existsSync(join(path, 'index.html')));
  return folder === undefined ? undefined : readConsole(folder);
}

function readConsole(folder: string): ConsoleFiles {
  const names = readdirSync(join(folder, 'console')).filter((name) => TYPES[extname(name)] !== undefined);
  return {
    page: readFile(join(folder, 'index.html')),
    assets: new Map(names.map((name) => [`/console/${name}`, readFile(join(folder, 'console', name))])),
  };
}

function readFile(path: string): ConsoleFile {
  const body = readFileSync(path);
  const gzip = gzipSync(body);
  return {
    type: TYPES[extname(path)] ?? 'application/octet-stream',
    body,
    gzip: gzip.length < body.length ? gzip : undefined,
  };
}
