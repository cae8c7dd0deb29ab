import { DEFAULT_PAGE, type PageQuery } from '../../contract/index.js';
import { HubError } from '../../kernel/index.js';

interface Page<Item> {
  readonly items: Item[];
  readonly nextCursor?: string;
}

/** One page of a list that can be held whole, in the order of its keys. What comes or goes between two pages disturbs neither. */
export function pageOf<Item>(
  list: string,
  all: readonly Item[],
  keyOf: (item: Item) => string,
  { limit = DEFAULT_PAGE, cursor }: PageQuery,
): Page<Item> {
  const after = cursor === undefined ? undefined : readCursor(list, cursor);
  const sorted = all.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const rest = after === undefined ? sorted : sorted.filter((item) => keyOf(item) > after);
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  return rest.length > limit && last !== undefined
    ? { items, nextCursor: writeCursor(list, keyOf(last)) }
    : { items };
}

/** Opaque outside. Names its list, so that a cursor of another one is recognised. */
export function writeCursor(list: string, key: string): string {
  return Buffer.from(`${list}\n${key}`).toString('base64url');
}

export function readCursor(list: string, cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  const prefix = `${list}\n`;
  if (!text.startsWith(prefix) || writeCursor(list, text.slice(prefix.length)) !== cursor)
    throw new HubError('invalid_cursor', 'cursor: is not one of this list');
  return text.slice(prefix.length);
}
