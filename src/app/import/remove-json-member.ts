import type { SyntaxKind } from 'jsonc-parser';
import { jsonc } from '../config/languages.js';

// `SyntaxKind` is a const enum, of which nothing is left at run time.
const COMMA: SyntaxKind = 5;

/** The text without one member of an object, with one comma less. Comments stay, and so does a comma after the last member. */
export function removeJsonMember(text: string, path: readonly string[]): string {
  const tree = jsonc().parseTree(text, [], { allowTrailingComma: true });
  const member = tree === undefined ? undefined : jsonc().findNodeAtLocation(tree, [...path])?.parent;
  if (member === undefined) return text;
  const end = member.offset + member.length;
  const start = startOfLine(text, member.offset);
  const behind = commaAfter(text, end);
  if (behind !== undefined) return text.slice(0, start) + text.slice(behind + 1);
  const siblings = member.parent?.children ?? [];
  const previous = siblings[siblings.indexOf(member) - 1];
  const before = previous === undefined ? undefined : commaAfter(text, previous.offset + previous.length);
  if (before === undefined) return text.slice(0, start) + text.slice(end);
  return text.slice(0, before) + text.slice(before + 1, Math.max(before + 1, start)) + text.slice(end);
}

/** Where the comma is, if nothing but space and comments comes before it. */
function commaAfter(text: string, from: number): number | undefined {
  const scanner = jsonc().createScanner(text, true);
  scanner.setPosition(from);
  return scanner.scan() === COMMA ? scanner.getTokenOffset() : undefined;
}

/** The line goes along where nothing else is on it. */
function startOfLine(text: string, at: number): number {
  return at - (/\n?[ \t]*$/.exec(text.slice(0, at))?.[0].length ?? 0);
}
