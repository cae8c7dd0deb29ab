/**
 * A line for each principal, and the lines take turns: whoever asks for much waits behind itself, not in front of others.
 * Where there are enough of them, the last of the longest line makes room for a shorter one.
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
      for (const item of line.splice(0, due)) taken.push(item);
      if (line.length === 0) this.#lines.delete(principal);
    }
    this.#size -= taken.length;
    return taken;
  }

  takeAll(): readonly T[] {
    const all = [...this.#lines.values()].flat();
    this.#lines.clear();
    this.#size = 0;
    return all;
  }

  remove(principal: string, item: T): void {
    const line = this.#lines.get(principal) ?? [];
    const index = line.indexOf(item);
    if (index < 0) return;
    line.splice(index, 1);
    if (line.length === 0) this.#lines.delete(principal);
    this.#size--;
  }

  /** Whether somebody would have to leave if there is no room and the principal is to have one more. */
  canMakeRoomFor(principal: string): boolean {
    return this.#lineLongerThanOf(principal) !== undefined;
  }

  /** Takes out whoever has to leave if the principal is to have one more. Undefined: no line is longer than its own would be. */
  makeRoomFor(principal: string): T | undefined {
    const longest = this.#lineLongerThanOf(principal);
    if (longest === undefined) return undefined;
    this.#size--;
    // Never the only one in its line: it is longer than a line of one.
    return longest.pop();
  }

  /** The longest line, if it is longer than the principal's own would be with one more. */
  #lineLongerThanOf(principal: string): T[] | undefined {
    let longest: T[] | undefined;
    let length = (this.#lines.get(principal)?.length ?? 0) + 1;
    for (const line of this.#lines.values())
      if (line.length > length) [longest, length] = [line, line.length];
    return longest;
  }
}
