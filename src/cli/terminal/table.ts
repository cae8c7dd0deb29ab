import { displayWidth, fitTo } from './display-width.js';
import { escapeLine } from './escape-text.js';

export interface TableOptions {
  /** Columns of the terminal; undefined: as wide as it gets. */
  readonly columns: number | undefined;
  readonly heading: (text: string) => string;
  /** How the text of a cell looks, by column. The width of the text is measured before. */
  readonly paint?: readonly (((text: string) => string) | undefined)[];
}

const GAP = '  ';
const LEAST = 8;

/**
 * Aligned columns under a heading. On a terminal that is too narrow the last column is cut, because names and states
 * come first and what is long comes last.
 */
export function renderTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  options: TableOptions,
): string {
  const cells = rows.map((row) => heads.map((_, index) => escapeLine(row[index] ?? '')));
  const widths = heads.map((head, index) =>
    Math.max(displayWidth(head), ...cells.map((row) => displayWidth(row[index] ?? ''))),
  );
  const last = heads.length - 1;
  if (options.columns !== undefined) {
    const before = widths.slice(0, last).reduce((sum, width) => sum + width + GAP.length, 0);
    widths[last] = Math.max(LEAST, Math.min(widths[last] ?? 0, options.columns - before));
  }
  const line = (row: readonly string[], paint: (text: string, index: number) => string): string =>
    row
      .map((cell, index) => {
        const text = index === last ? fitTo(cell, widths[index] ?? 0) : cell;
        const padding = index === last ? '' : ' '.repeat((widths[index] ?? 0) - displayWidth(text));
        return paint(text, index) + padding;
      })
      .join(GAP)
      .trimEnd();
  return [
    line(heads, (text) => options.heading(text)),
    ...cells.map((row) => line(row, (text, index) => options.paint?.[index]?.(text) ?? text)),
  ].join('\n');
}
