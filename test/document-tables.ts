/** A table of a Markdown text: rows by the names in its header, code marks taken off. */
export interface DocumentTable {
  readonly header: readonly string[];
  readonly rows: readonly Readonly<Record<string, string>>[];
}

const ROW = /^\s*\|(.*)\|\s*$/;

/** Every table whose header begins with a given word, in order. `\|` in a cell is a bar. */
export function tablesOf(markdown: string, firstHeader: string): readonly DocumentTable[] {
  const tables: DocumentTable[] = [];
  let cells: string[][] = [];
  for (const line of [...markdown.split('\n'), '']) {
    const row = ROW.exec(line)?.[1];
    if (row !== undefined) {
      cells.push(cellsOf(row));
      continue;
    }
    const [header, , ...body] = cells;
    if (header !== undefined && header[0] === firstHeader) tables.push(toTable(header, body));
    cells = [];
  }
  return tables;
}

/** Rows of all such tables together. */
export function rowsOf(markdown: string, firstHeader: string): readonly Readonly<Record<string, string>>[] {
  return tablesOf(markdown, firstHeader).flatMap(({ rows }) => rows);
}

/** The part of a text below a heading, up to the next one of the same or a higher level. */
export function sectionOf(markdown: string, heading: string): string {
  const lines = markdown.split('\n');
  const start = lines.findIndex((line) => /^#{1,6} /.test(line) && line.replace(/^#+ /, '') === heading);
  if (start === -1) throw new Error(`there is no heading "${heading}"`);
  const level = (/^#+/.exec(lines[start] ?? '')?.[0] ?? '').length;
  const length = lines.slice(start + 1).findIndex((line) => new RegExp(`^#{1,${level}} `).test(line));
  return lines.slice(start + 1, length === -1 ? undefined : start + 1 + length).join('\n');
}

function toTable(header: readonly string[], body: readonly (readonly string[])[]): DocumentTable {
  return {
    header,
    rows: body.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index] ?? '']))),
  };
}

function cellsOf(row: string): string[] {
  return row.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|').replaceAll('`', ''));
}
