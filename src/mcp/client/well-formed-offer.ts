import { isObject, JsonNumber, type Json, type JsonObject } from '../jsonrpc/index.js';

/** The value as it can be offered further on; undefined where it has to be left out. */
type Mend = (value: Json) => Json | undefined;
type Mends = Readonly<Record<string, Mend>>;

const isText = (value: Json): value is string => typeof value === 'string';
const when =
  (holds: (value: Json) => boolean): Mend =>
  (value) =>
    holds(value) ? value : undefined;
const text = when(isText);
const flag = when((value) => typeof value === 'boolean');
const amount = when((value) => typeof value === 'number' || value instanceof JsonNumber);
const object = when(isObject);
/** Whoever reads the offer says what is wrong with anything else. */
const notNull = when((value) => value !== null);
const wordOf = (...words: readonly string[]): Mend => when((value) => isText(value) && words.includes(value));
const listOf =
  (mend: Mend): Mend =>
  (value) =>
    Array.isArray(value) ? mendItems(value, mend) : undefined;
const objectOf =
  (mends: Mends): Mend =>
  (value) =>
    isObject(value) ? mendMembers(value, mends) : undefined;

const ICON = objectOf({ mimeType: text, sizes: listOf(text), theme: wordOf('light', 'dark') });
const COMMON: Mends = {
  title: text,
  description: text,
  icons: listOf((icon) => (isObject(icon) && isText(icon['src'] ?? null) ? ICON(icon) : undefined)),
  _meta: object,
};
const schema: Mend = (value) => (isObject(value) ? mendMembers(value, { $schema: text }) : notNull(value));
const TOOL: Mends = {
  ...COMMON,
  inputSchema: schema,
  outputSchema: schema,
  annotations: objectOf({
    title: text,
    readOnlyHint: flag,
    destructiveHint: flag,
    idempotentHint: flag,
    openWorldHint: flag,
  }),
  execution: objectOf({ taskSupport: wordOf('forbidden', 'optional', 'required') }),
};
const ARGUMENT: Mends = { title: text, description: text, required: flag };
/** What is no object stays, for whoever reads the prompt to complain of. */
const argument: Mend = (value) => (isObject(value) ? mendMembers(value, ARGUMENT) : value);
const PROMPT: Mends = {
  ...COMMON,
  arguments: (value) => (Array.isArray(value) ? mendItems(value, argument) : notNull(value)),
};
const RESOURCE: Mends = {
  ...COMMON,
  mimeType: text,
  size: amount,
  annotations: objectOf({
    audience: listOf(wordOf('user', 'assistant')),
    priority: when((value) => amount(value) !== undefined && Number(value) >= 0 && Number(value) <= 1),
    lastModified: when((value) => isText(value) && isMoment(value)),
  }),
};

/**
 * Offers without members that are not what the protocol says, null for what is left out among them. Clients refuse a whole
 * list for one of these, and with it what all others offer. Members nobody knows stay as they are.
 */
export const toWellFormedTool = (entry: JsonObject): JsonObject => mendMembers(entry, TOOL);
export const toWellFormedPrompt = (entry: JsonObject): JsonObject => mendMembers(entry, PROMPT);
export const toWellFormedResource = (entry: JsonObject): JsonObject => mendMembers(entry, RESOURCE);

/** The same object where nothing is wrong with it, as nearly always. */
function mendMembers(value: JsonObject, mends: Mends): JsonObject {
  let mended = value;
  for (const name in mends) {
    const member = value[name];
    if (member === undefined) continue;
    const good = mends[name]?.(member);
    if (good === member) continue;
    mended = good === undefined ? without(mended, name) : { ...mended, [name]: good };
  }
  return mended;
}

function without(value: JsonObject, name: string): JsonObject {
  const { [name]: _, ...others } = value;
  return others;
}

function mendItems(items: readonly Json[], mend: Mend): Json {
  const mended = items.map((item) => mend(item));
  if (mended.every((item, index) => item === items[index])) return items;
  return mended.filter((item) => item !== undefined);
}

const MOMENT =
  /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** A date with a time and its zone, as clients want it. A date that the calendar does not have is another one. */
function isMoment(value: string): boolean {
  const [, day] = MOMENT.exec(value) ?? [];
  if (day === undefined) return false;
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}
