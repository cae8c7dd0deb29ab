/** Throws for an empty list: a figure that was never measured is a mistake of the bench. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  const next = sorted[Math.ceil((sorted.length - 1) / 2)];
  if (middle === undefined || next === undefined) throw new Error('nothing was measured');
  return (middle + next) / 2;
}

/** The value below which this share of them lies; 0 where there are none. */
export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0;
}

/** Each value of `items` in turn, once a round, each round beginning one further: no one is always first. */
export function* interleave<Item>(items: readonly Item[], rounds: number): Generator<Item> {
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < items.length; i++) {
      const item = items[(round + i) % items.length];
      if (item !== undefined) yield item;
    }
  }
}
