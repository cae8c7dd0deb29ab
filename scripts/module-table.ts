import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MODULES } from '../test/modules.js';
import { ROOT } from './repository.js';

/** Writes who uses whom into the table of ARCHITECTURE.md. What a module is for is written by people and stays. */
const PATH = join(ROOT, 'ARCHITECTURE.md');
const TABLE = /(\| module \|.*\n\| --- .*\n)((?:\|.*\|\n)*)/;

const text = readFileSync(PATH, 'utf8');
const [, head, body] = TABLE.exec(text) ?? [];
if (head === undefined || body === undefined) throw new Error('ARCHITECTURE.md has no table of modules');

const purposes = new Map(
  body.split('\n').map((line) => {
    const [, name = '', purpose = ''] = line.split('|').map((cell) => cell.trim());
    return [name.replaceAll('`', ''), purpose];
  }),
);

function list(names: readonly string[]): string {
  return names.length === 0 ? '–' : names.map((name) => `\`${name}\``).join(', ');
}

const rows = Object.entries(MODULES).map(
  ([name, { uses, packages }]) =>
    `| \`${name}\` | ${purposes.get(name) ?? ''} | ${list(uses)} | ${list(packages)} |\n`,
);
writeFileSync(
  PATH,
  text.replace(TABLE, () => head + rows.join('')),
);
