import { setImmediate as turn } from 'node:timers/promises';

/** Some statements of a document, with their ends, and where the first begins. Counted from 0, columns in UTF-16 units. */
export interface PolicyPiece {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

/** What the policy library reads in some milliseconds; a statement that is longer is a piece of its own. */
const LENGTH = 4_096;
const TEXT_OR_COMMENT_OR_END = /"(?:[^"\\]|\\[^])*"?|\/\/[^\n]*|;/g;

/**
 * All of a document, in pieces that the policy library can take one by one. It reads each from its beginning: where this
 * were wrong about the end of a statement, the library would refuse the piece, and never leave a part of it out.
 */
export function toPieces(text: string): readonly PolicyPiece[] {
  const pieces: PolicyPiece[] = [];
  let start = 0;
  let line = 0;
  let column = 0;
  const add = (end: number): void => {
    const piece = text.slice(start, end);
    pieces.push({ text: piece, line, column });
    const lines = piece.split('\n');
    const lastLine = lines.at(-1) ?? '';
    column = lines.length === 1 ? column + piece.length : lastLine.length;
    line += lines.length - 1;
    start = end;
  };
  for (const { 0: token, index } of text.matchAll(TEXT_OR_COMMENT_OR_END))
    if (token === ';' && index + 1 - start >= LENGTH) add(index + 1);
  if (start < text.length || pieces.length === 0) add(text.length);
  return pieces;
}

/** Work that may be left between any two of its steps. */
export type Steps<Outcome> = Generator<void, Outcome>;

export function atOnce<Outcome>(steps: Steps<Outcome>): Outcome {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** How long others wait for one slice, and for the step it ends with. */
const SLICE_MS = 8;

export async function inTurns<Outcome>(steps: Steps<Outcome>): Promise<Outcome> {
  for (let end = performance.now() + SLICE_MS; ;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() < end) continue;
    await turn();
    end = performance.now() + SLICE_MS;
  }
}
