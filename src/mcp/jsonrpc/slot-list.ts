/** Something that can be in one list. */
export interface Slotted {
  /** Its place there, or -1. Kept by the list alone. */
  slot: number;
}

/**
 * What is under way, in no order. Each knows its place, so that neither coming nor going looks for it. No `Set`: one that is
 * used as a queue has the trouble that `TurnoverMap` tells of.
 */
export class SlotList<Item extends Slotted> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** False for what is there already. */
  add(item: Item): boolean {
    if (item.slot !== -1) return false;
    item.slot = this.#items.push(item) - 1;
    return true;
  }

  /** False for what is not there. */
  delete(item: Item): boolean {
    const { slot } = item;
    if (slot === -1) return false;
    item.slot = -1;
    // The last one takes its place.
    const last = this.#items.pop();
    if (last === undefined || last === item) return true;
    this.#items[slot] = last;
    last.slot = slot;
    return true;
  }

  find(is: (item: Item) => boolean): Item | undefined {
    return this.#items.find(is);
  }

  /** All that are there now and still are when their turn comes. */
  forEach(work: (item: Item) => void): void {
    for (const item of this.#items.slice()) if (item.slot !== -1) work(item);
  }
}
