import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), 'corpus');

export interface FuzzCase {
  readonly file: string;
  readonly input: Uint8Array;
}

/** The kept inputs of a target: examples to start from and everything that once went wrong. */
export function readCorpus(target: string): readonly FuzzCase[] {
  const folder = join(FOLDER, target);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.case'))
    .toSorted()
    .map((file) => ({ file, input: readFileSync(join(folder, file)) }));
}

/** Keeps an input and returns where. */
export function keepCase(target: string, input: Uint8Array): string {
  const folder = join(FOLDER, target);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `found-${createHash('sha256').update(input).digest('hex').slice(0, 16)}.case`);
  writeFileSync(path, input);
  return path;
}
