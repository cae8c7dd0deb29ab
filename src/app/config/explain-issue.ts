import { configJsonSchema } from './config-schema.js';

/** As much of what the schema found as is looked at here. */
export interface Issue {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly expected?: unknown;
  readonly keys?: readonly string[];
}

/** Where in the file it is, what is wrong, and what may have been meant. */
export function explainIssue(issue: Issue): string {
  const where = issue.path.map(String).join('.') || 'the file';
  const advice = adviceFor(issue);
  return `${where}: ${issue.message}${advice === undefined ? '' : ` (${advice})`}`;
}

function adviceFor({ code, path, expected, message, keys: [unknown] = [] }: Issue): string | undefined {
  if (code === 'unrecognized_keys' && unknown !== undefined) {
    const meant = findSimilar(unknown, keysAt(path.map(String)));
    return meant === undefined ? undefined : `did you mean "${meant}"?`;
  }
  if (code !== 'invalid_type') return undefined;
  if (expected === 'string' && /received (?:number|boolean)$/.test(message)) return 'put it in quotes';
  if (expected === 'array' && message.endsWith('received string')) return 'write a list: [one, two]';
  return undefined;
}

type Schema = Readonly<Record<string, unknown>>;

/** The keys that may stand at a place of the file. */
function keysAt(path: readonly string[]): readonly string[] {
  let found = formsOf(configJsonSchema());
  for (const part of path)
    found = found.flatMap((schema) =>
      formsOf(toSchema(schema['properties'])[part] ?? schema['additionalProperties'] ?? schema['items']),
    );
  return found.flatMap((schema) => Object.keys(toSchema(schema['properties'])));
}

function formsOf(value: unknown): readonly Schema[] {
  const schema = toSchema(value);
  const forms = ['anyOf', 'oneOf', 'allOf'].map((name) => schema[name]);
  return [schema, ...forms.flatMap((list) => (Array.isArray(list) ? list.flatMap(formsOf) : []))];
}

function toSchema(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? (value as Schema) : {};
}

/** How far a slip of the finger goes. */
const FAR = 2;

/** The same in another spelling, or the nearest that is near. */
function findSimilar(word: string, known: readonly string[]): string | undefined {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[-_]/g, '');
  const near = known
    .map((each) => ({ each, distance: distanceOf(plain(word), plain(each)) }))
    .toSorted((one, other) => one.distance - other.distance)[0];
  return near !== undefined && near.distance <= Math.min(FAR, word.length / 3) ? near.each : undefined;
}

/** Letters to put in, leave out, change or swap. */
function distanceOf(one: string, other: string): number {
  let before: readonly number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1];
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      next[column] = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, next];
  }
  return last[other.length] ?? 0;
}
