import { isObject, type Json, type JsonObject } from '../mcp/jsonrpc/index.js';
import type { ShownSecret } from './shown-secrets.js';

const MASK = '***';
/** What is handed back as it came to whoever made it, and read by nobody in between. */
const OPAQUE: ReadonlySet<string> = new Set(['requestState', 'nextCursor']);

/** Whether the text of a value may hold one of these. */
export function mayHold(text: string, secrets: readonly ShownSecret[]): boolean {
  for (const { word } of secrets) if (text.includes(word)) return true;
  return false;
}

/** The same value without these in its texts; the very same where they are not in it. */
export function conceal(value: Json, secrets: readonly ShownSecret[]): Json {
  if (typeof value === 'string') return concealText(value, secrets);
  if (Array.isArray(value)) return concealItems(value as readonly Json[], secrets);
  return isObject(value) ? concealMembers(value, secrets) : value;
}

export function concealMembers(value: JsonObject, secrets: readonly ShownSecret[]): JsonObject {
  let changed = false;
  const members = Object.entries(value).map(([name, member]) => {
    const shownName = concealText(name, secrets);
    const shown = member === undefined || OPAQUE.has(name) ? member : conceal(member, secrets);
    changed ||= shownName !== name || shown !== member;
    return [shownName, shown] as const;
  });
  return changed ? Object.fromEntries(members) : value;
}

function concealItems(items: readonly Json[], secrets: readonly ShownSecret[]): readonly Json[] {
  const shown = items.map((item) => conceal(item, secrets));
  return shown.some((item, index) => item !== items[index]) ? shown : items;
}

export function concealText(text: string, secrets: readonly ShownSecret[]): string {
  let shown = text;
  for (const { value } of secrets) shown = shown.replaceAll(value, MASK);
  return shown;
}
