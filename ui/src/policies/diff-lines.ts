export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Beyond this many lines on both sides a table of all pairs costs too much; then all of it counts as replaced. */
const MOST_LINES = 1_500;

/** What has to be removed and added to make one text of the other, line by line. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail))
    tail++;
  const same = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ kind: 'same', text }));
  return [
    ...same(old.slice(0, head)),
    ...between(old.slice(head, old.length - tail), now.slice(head, now.length - tail)),
    ...same(tail === 0 ? [] : old.slice(-tail)),
  ];
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/** By the longest common subsequence. */
function between(old: readonly string[], now: readonly string[]): readonly DiffLine[] {
  if (old.length + now.length > MOST_LINES)
    return [
      ...old.map((text): DiffLine => ({ kind: 'removed', text })),
      ...now.map((text): DiffLine => ({ kind: 'added', text })),
    ];
  const width = now.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row--) {
    for (let column = now.length - 1; column >= 0; column--) {
      lengths[row * width + column] =
        old[row] === now[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < now.length) {
    const [gone, come] = [old[row], now[column]];
    if (gone !== undefined && gone === come) {
      lines.push({ kind: 'same', text: gone });
      row++;
      column++;
    } else if (gone !== undefined && (come === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ kind: 'removed', text: gone });
      row++;
    } else {
      lines.push({ kind: 'added', text: come ?? '' });
      column++;
    }
  }
  return lines;
}
