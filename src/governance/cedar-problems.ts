import type { DetailedError } from '@cedar-policy/cedar-wasm/nodejs';
import { cedar } from './cedar.js';
import { toPieces, type PolicyPiece, type Steps } from './policy-pieces.js';
import { POLICY_SCHEMA } from './policy-schema.js';

/** Something wrong with the text of a policy. Lines and columns are counted from 1, columns in UTF-16 units. */
export interface PolicyProblem {
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** What might have been meant. */
  readonly help?: string;
  readonly place?: TextPlace;
}

export interface TextPlace {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

export const MOST = 50;
/** Cedar names statements by their position; here the place says which. */
const STATEMENT = /^for policy `policy\d+`, |^failed to parse policies from string: /;

/**
 * What Cedar and the schema say of a document, and where: errors first, and no more than anybody reads. Its deepest part
 * must be known to have few levels.
 */
export function* findCedarProblems(text: string): Steps<readonly PolicyProblem[]> {
  const errors: PolicyProblem[] = [];
  const warnings: PolicyProblem[] = [];
  for (const piece of toPieces(text)) {
    for (const problem of problemsOf(piece)) (problem.severity === 'error' ? errors : warnings).push(problem);
    if (errors.length >= MOST) break;
    yield;
  }
  return [...errors.slice(0, MOST), ...warnings.slice(0, MOST)];
}

function problemsOf(piece: PolicyPiece): readonly PolicyProblem[] {
  const answer = cedar().validate({
    schema: POLICY_SCHEMA,
    policies: { staticPolicies: piece.text },
    validationSettings: { mode: 'strict' },
  });
  const toPlace = createPlaces(piece);
  const tell = (error: DetailedError, severity: PolicyProblem['severity']): PolicyProblem => {
    const [location] = error.sourceLocations ?? [];
    const help = error.help ?? location?.label;
    return {
      severity,
      message: error.message.replace(STATEMENT, ''),
      ...(typeof help === 'string' && { help }),
      ...(location !== undefined && { place: toPlace(location.start, location.end) }),
    };
  };
  if (answer.type === 'failure') return answer.errors.slice(0, MOST).map((error) => tell(error, 'error'));
  return [
    ...answer.validationErrors.slice(0, MOST).map(({ error }) => tell(error, 'error')),
    ...answer.validationWarnings.slice(0, MOST).map(({ error }) => tell(error, 'warning')),
  ];
}

/** The errors in words, in the order of the text. */
export function* tellCedarErrors(text: string): Steps<readonly string[]> {
  const lineOf = ({ place }: PolicyProblem): number => place?.line ?? 0;
  return (yield* findCedarProblems(text))
    .filter(({ severity }) => severity === 'error')
    .toSorted((a, b) => lineOf(a) - lineOf(b) || a.message.localeCompare(b.message))
    .map(({ message, help, place }) =>
      [
        place === undefined ? '' : `line ${place.line}, column ${place.column}: `,
        message,
        help === undefined ? '' : ` (${help})`,
      ].join(''),
    );
}

/** Cedar counts bytes of UTF-8. */
function createPlaces({ text, line, column }: PolicyPiece): (start: number, end: number) => TextPlace {
  const bytes = Buffer.from(text);
  const at = (offset: number) => {
    const lines = bytes.toString('utf8', 0, offset).split('\n');
    const before = lines.length === 1 ? column : 0;
    return { line: line + lines.length, column: before + (lines.at(-1) ?? '').length + 1 };
  };
  return (start, end) => {
    const { line: endLine, column: endColumn } = at(end);
    return { ...at(start), endLine, endColumn };
  };
}
