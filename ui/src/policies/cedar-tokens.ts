export type CedarKind =
  | 'comment'
  | 'string'
  | 'annotation'
  | 'effect'
  | 'word'
  | 'variable'
  | 'type'
  | 'plain';

export interface CedarToken {
  readonly kind: CedarKind;
  readonly text: string;
}

const PATTERN =
  /(?<comment>\/\/[^\n]*)|(?<string>"(?:[^"\\\n]|\\.)*"?)|(?<annotation>@\w+)|(?<effect>\b(?:permit|forbid)\b)|(?<word>\b(?:when|unless|if|then|else|in|is|has|like|true|false)\b)|(?<variable>\b(?:principal|action|resource|context)\b)|(?<type>\b[A-Za-z_]\w*(?=::))|(?<plain>\w+|[^\w"@/]+|[@/])/g;

/** The parts of a text in Cedar, as an editor colours them. Together they are the text, whatever is in it. */
export function readCedarTokens(text: string): readonly CedarToken[] {
  return Array.from(text.matchAll(PATTERN), ({ 0: part, groups = {} }) => {
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined) ?? 'plain';
    return { kind: kind as CedarKind, text: part };
  });
}

/** A stretch of a text that something is wrong with. */
export interface Mark {
  readonly start: number;
  readonly end: number;
  readonly tone: 'error' | 'warning';
}

export interface Piece extends CedarToken {
  readonly tone?: Mark['tone'];
}

/** Tokens cut where marks begin and end. An error wins over a warning. */
export function markTokens(tokens: readonly CedarToken[], marks: readonly Mark[]): readonly Piece[] {
  let at = 0;
  return tokens.flatMap(({ kind, text }) => {
    const start = at;
    at += text.length;
    const cuts = marks
      .flatMap((mark) => [mark.start - start, mark.end - start])
      .filter((cut) => cut > 0 && cut < text.length);
    const borders = [...new Set([0, ...cuts, text.length])].toSorted((a, b) => a - b);
    return borders.slice(1).map((end, index): Piece => {
      const from = borders[index] ?? 0;
      const over = marks.filter((mark) => mark.start < start + end && mark.end > start + from);
      const tone = over.some((mark) => mark.tone === 'error') ? 'error' : over[0]?.tone;
      return { kind, text: text.slice(from, end), ...(tone !== undefined && { tone }) };
    });
  });
}

/** Where a line and column, counted from 1, stand in a text. */
export function offsetOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let current = 1; current < line; current++) {
    const next = text.indexOf('\n', start);
    if (next === -1) return text.length;
    start = next + 1;
  }
  return Math.min(text.length, start + column - 1);
}
