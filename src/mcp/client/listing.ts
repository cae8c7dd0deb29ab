import {
  METHOD_NOT_FOUND,
  INVALID_PARAMS,
  ProtocolError,
  type Json,
  type JsonObject,
} from '../jsonrpc/index.js';
import { isObject } from '../jsonrpc/index.js';
import type { CacheHints } from '../wire/index.js';
import { ClientError, invalidResponse } from './client-error.js';
import { toTtl } from './peer.js';

/** All pages of a list. */
export interface Listing<Item> {
  readonly items: readonly Item[];
  /** Entries that cannot be used, and why. */
  readonly rejected: readonly Rejection[];
  /** For how long the list may be kept; undefined where the server does not say. */
  readonly ttlMs: number | undefined;
  readonly cacheScope: CacheHints['cacheScope'] | undefined;
}

/** An entry of a list that could not be taken. */
export interface Rejection {
  /** Name or URI, where there is one. */
  readonly name: string | undefined;
  readonly reason: string;
}

/** Reads one entry: the item, or why it is none. */
export type ReadItem<Item> = (entry: JsonObject) => Item | string;

export interface ListSource<Item> {
  /** The member of the result that holds the entries. */
  readonly member: string;
  /** The member of an entry that must be unique. */
  readonly key: string;
  readonly read: ReadItem<Item>;
  readonly page: (cursor: string | undefined) => Promise<JsonObject>;
  readonly maxPages: number;
}

export const EMPTY_LISTING: Listing<never> = {
  items: [],
  rejected: [],
  ttlMs: undefined,
  cacheScope: undefined,
};

/** Follows all pages. Starts over once when what a cursor belonged to is gone. */
export async function readList<Item>(source: ListSource<Item>): Promise<Listing<Item>> {
  const first = new ListReader(source);
  try {
    return await first.run();
  } catch (error) {
    if (isNotOffered(error)) return EMPTY_LISTING;
    if (!isWorthAnother(error, first.pages)) throw error;
  }
  return await new ListReader(source).run();
}

function isNotOffered(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === METHOD_NOT_FOUND;
}

function isWorthAnother(error: unknown, pages: number): boolean {
  if (error instanceof ClientError) return error.code === 'session_lost';
  return error instanceof ProtocolError && error.code === INVALID_PARAMS && pages > 0;
}

class ListReader<Item> {
  readonly #source: ListSource<Item>;
  readonly #items: Item[] = [];
  readonly #rejected: Rejection[] = [];
  readonly #keys = new Set<string>();
  readonly #cursors = new Set<string>();
  #ttlMs: number | undefined;
  #cacheScope: CacheHints['cacheScope'] | undefined;
  pages = 0;

  constructor(source: ListSource<Item>) {
    this.#source = source;
  }

  async run(): Promise<Listing<Item>> {
    let cursor: string | undefined;
    do {
      if (this.pages === this.#source.maxPages) {
        throw new ClientError('page_limit', `the list has more than ${this.#source.maxPages} pages`);
      }
      cursor = this.#readPage(await this.#source.page(cursor));
    } while (cursor !== undefined);
    return { items: this.#items, rejected: this.#rejected, ttlMs: this.#ttlMs, cacheScope: this.#cacheScope };
  }

  /** Returns the cursor of the next page. An empty string is one. */
  #readPage(result: JsonObject): string | undefined {
    const { member } = this.#source;
    const entries = result[member];
    if (!Array.isArray(entries)) throw invalidResponse(`${member} must be an array`);
    for (const entry of entries) this.#readEntry(entry);
    this.#readHints(result);
    this.pages++;
    const { nextCursor } = result;
    if (nextCursor === undefined || nextCursor === null) return undefined;
    if (typeof nextCursor !== 'string') throw invalidResponse('nextCursor must be a string');
    if (this.#cursors.has(nextCursor)) throw new ClientError('cursor_repeated', 'the list does not advance');
    this.#cursors.add(nextCursor);
    return nextCursor;
  }

  #readEntry(entry: Json): void {
    if (!isObject(entry)) {
      this.#rejected.push({ name: undefined, reason: 'not an object' });
      return;
    }
    const { [this.#source.key]: key } = entry;
    const name = typeof key === 'string' ? key : undefined;
    if (name === undefined || name === '') {
      this.#rejected.push({ name: undefined, reason: `${this.#source.key} must be a string` });
      return;
    }
    const item = this.#keys.has(name) ? `${this.#source.key} occurs twice` : this.#source.read(entry);
    if (typeof item === 'string') {
      this.#rejected.push({ name, reason: item });
    } else {
      this.#keys.add(name);
      this.#items.push(item);
    }
  }

  /** What was read in parts lives no longer than its shortest part and is as private as the most private. */
  #readHints(result: JsonObject): void {
    const ttlMs = toTtl(result['ttlMs']);
    if (this.pages === 0) this.#ttlMs = ttlMs;
    else if (ttlMs !== undefined || this.#ttlMs !== undefined)
      this.#ttlMs = Math.min(this.#ttlMs ?? 0, ttlMs ?? 0);
    const { cacheScope } = result;
    if (cacheScope === 'private') this.#cacheScope = 'private';
    else if (cacheScope === 'public') this.#cacheScope ??= 'public';
  }
}
