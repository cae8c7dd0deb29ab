type Listener = () => void;

const MOST_AWAITED = 1024;
const MOST_REMEMBERED = 256;
/** Servers make them up, and as many are kept as are remembered. */
const LONGEST_ID = 1024;

/**
 * Pages that a legacy server sent somebody to, and tells of when they were visited. Who asked for a page in this
 * conversation hears of it, once; nobody else does.
 */
export class VisitedPages {
  readonly #awaited = new Map<string, Set<Listener>>();
  readonly #visited = new Set<string>();

  /** At once if it is so already. The returned function ends the wait. */
  on(id: string, listener: Listener): () => void {
    if (this.#visited.has(id)) {
      listener();
      return () => {};
    }
    const listeners = this.#awaited.get(id) ?? new Set();
    this.#awaited.set(id, listeners.add(listener));
    forgetOldest(this.#awaited, MOST_AWAITED);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#awaited.get(id) === listeners) this.#awaited.delete(id);
    };
  }

  heard(id: unknown): void {
    if (typeof id !== 'string' || id.length > LONGEST_ID) return;
    this.#visited.add(id);
    forgetOldest(this.#visited, MOST_REMEMBERED);
    const listeners = this.#awaited.get(id) ?? [];
    this.#awaited.delete(id);
    for (const listener of listeners) listener();
  }
}

function forgetOldest(
  known: { readonly size: number; keys(): Iterable<string>; delete(key: string): boolean },
  most: number,
): void {
  if (known.size <= most) return;
  for (const oldest of known.keys()) {
    known.delete(oldest);
    return;
  }
}
