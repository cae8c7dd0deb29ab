import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../scripts/repository.js';

const DOCUMENT = join(ROOT, 'docs', 'performance.md');

/** Puts a report where the document has its place for it. */
export function writeReport(section: string, markdown: string): void {
  writeFileSync(DOCUMENT, replaceSection(readFileSync(DOCUMENT, 'utf8'), section, markdown));
}

export function replaceSection(text: string, section: string, markdown: string): string {
  const begin = `<!-- bench ${section} -->`;
  const end = `<!-- end of bench ${section} -->`;
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from === -1 || to < from) throw new Error(`docs/performance.md has no place for ${section}`);
  return `${text.slice(0, from)}${begin}\n\n${markdown.trim()}\n\n${text.slice(to)}`;
}
