/** The place of an item in a list. */
export interface Place<T> {
  readonly item: T;
  before: Place<T> | undefined;
  after: Place<T> | undefined;
}

/**
 * A list that items leave from anywhere at the same cost. A `Set` keeps the places of those that left: whoever looks for
 * its first item again and again walks over all of them each time.
 */
export class LinkedList<T> {
  #first: Place<T> | undefined;
  #last: Place<T> | undefined;

  get first(): T | undefined {
    return this.#first?.item;
  }

  /** At the end. */
  add(item: T): Place<T> {
    const place: Place<T> = { item, before: this.#last, after: undefined };
    if (this.#last === undefined) this.#first = place;
    else this.#last.after = place;
    this.#last = place;
    return place;
  }

  /** The place must be one of this list, and not removed before. */
  remove(place: Place<T>): void {
    const { before, after } = place;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    // What left must not keep its neighbours in memory.
    place.before = undefined;
    place.after = undefined;
  }

  clear(): void {
    this.#first = undefined;
    this.#last = undefined;
  }

  /** The one that is at hand may be removed meanwhile. */
  *[Symbol.iterator](): Generator<T> {
    let place = this.#first;
    while (place !== undefined) {
      const next = place.after;
      yield place.item;
      place = next;
    }
  }
}
