const PER_DOUBLING = 8;
const SIZE = 200;

/** Durations in classes that are a twelfth wider each: small, quick to add to, and right within a few percent. */
export class DurationHistogram {
  readonly #counts = new Uint32Array(SIZE);
  #total = 0;

  add(ms: number): void {
    const index = Math.min(SIZE - 1, Math.floor(Math.log2(Math.max(0, ms) + 1) * PER_DOUBLING));
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#total++;
  }

  addAll(other: DurationHistogram): void {
    for (const [index, count] of other.#counts.entries())
      this.#counts[index] = (this.#counts[index] ?? 0) + count;
    this.#total += other.#total;
  }

  /** The duration that so large a part of all stays below; undefined where there are none. */
  quantile(part: number): number | undefined {
    if (this.#total === 0) return undefined;
    let left = Math.ceil(this.#total * part);
    const index = this.#counts.findIndex((count) => (left -= count) <= 0);
    return Math.round((2 ** ((index + 0.5) / PER_DOUBLING) - 1) * 10) / 10;
  }
}
