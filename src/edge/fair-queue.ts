/**
 * A line for each principal, and the lines take turns: whoever asks for much waits behind itself, not in front of others.
 * Where it is full, the last of the longest line makes room for a shorter one.
 */
export class FairQueue<T> {
  /** The line whose turn is next comes first. */
  readonly #lines = new Map<string, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(principal: string, item: T): void {
    const line = this.#lines.get(principal);
    if (line === undefined) this.#lines.set(principal, [item]);
    else line.push(item);
    this.#size++;
  }

  shift(): T | undefined {
    for (const [principal, line] of this.#lines) {
      const item = line.shift();
      // Its place is now behind all others, if anybody is left in it.
      this.#lines.delete(principal);
      if (line.length > 0) this.#lines.set(principal, line);
      this.#size--;
      return item;
    }
    return undefined;
  }

  /** Takes out, of each line, those at its head of whom this is so. */
  takeHeads(isDue: (item: T) => boolean): readonly T[] {
    const taken: T[] = [];
    for (const [principal, line] of this.#lines) {
      let due = 0;
      for (; due < line.length && isDue(line[due] as T); due++);
      if (due > 0) taken.push(...line.splice(0, due));
      if (line.length === 0) this.#lines.delete(principal);
    }
    this.#size -= taken.length;
    return taken;
  }

  /** Takes out whoever has to leave if the principal is to have one more. Undefined: no line is longer than its own would be. */
  makeRoomFor(principal: string): T | undefined {
    let longest: T[] = [];
    let owner = '';
    for (const [each, line] of this.#lines) if (line.length > longest.length) [owner, longest] = [each, line];
    if (longest.length <= (this.#lines.get(principal)?.length ?? 0) + 1) return undefined;
    this.#size--;
    const last = longest.pop();
    if (longest.length === 0) this.#lines.delete(owner);
    return last;
  }
}
