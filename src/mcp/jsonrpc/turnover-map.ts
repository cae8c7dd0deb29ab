/** Removals after which the entries move to a new table; as many as there are entries where these are more. */
const MOVED_AFTER = 256;

/**
 * A `Map` for what comes and goes all the time, such as requests under way. V8 links each table that a Map has outgrown
 * to the next one. Once the first of them has grown old, the collector takes whatever passed through all the others for
 * alive and carries it along, which costs more than the requests themselves. A table that is left behind now and then
 * has no such successors.
 *
 * While entries are iterated they may be removed, but none may be added.
 */
export class TurnoverMap<Key, Value> {
  #entries = new Map<Key, Value>();
  #removed = 0;

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  set(key: Key, value: Value): void {
    if (this.#removed >= MOVED_AFTER && this.#removed >= this.#entries.size) {
      this.#entries = new Map(this.#entries);
      this.#removed = 0;
    }
    this.#entries.set(key, value);
  }

  delete(key: Key): boolean {
    const removed = this.#entries.delete(key);
    if (removed) this.#removed++;
    return removed;
  }

  clear(): void {
    this.#entries = new Map();
    this.#removed = 0;
  }

  keys(): IterableIterator<Key> {
    return this.#entries.keys();
  }

  values(): IterableIterator<Value> {
    return this.#entries.values();
  }

  [Symbol.iterator](): IterableIterator<[Key, Value]> {
    return this.#entries[Symbol.iterator]();
  }
}
