import { ExactNumber, parseJson, readExact, writeJson } from '../shared/exact-json.js';

/** A form's fields from a JSON Schema: the usual types as fields, everything else as JSON. */

type Schema = Readonly<Record<string, unknown>>;

export type Field =
  | (FieldBase & { readonly kind: 'text' | 'long' | 'number' | 'integer' | 'boolean' | 'json' })
  | (FieldBase & { readonly kind: 'choice' | 'choices'; readonly choices: readonly FieldChoice[] })
  | (FieldBase & { readonly kind: 'list'; readonly items: 'string' | 'number' | 'integer' })
  | (FieldBase & { readonly kind: 'group'; readonly fields: readonly Field[] });

export interface FieldChoice {
  /** JSON. */
  readonly value: string;
  readonly label: string;
}

interface FieldBase {
  /** Where its value stands in the arguments. */
  readonly path: readonly string[];
  readonly label: string;
  readonly description: string | undefined;
  readonly required: boolean;
  /** What is filled in at first, where the schema gives a default. */
  readonly initial: string;
}

/** What people typed, by field. */
export type Texts = Readonly<Record<string, string>>;
export type Arguments = Readonly<Record<string, unknown>>;
export type ReadOutcome =
  | { readonly args: Arguments }
  /** `typed`: what was typed all the same, and what cannot be read as the text it is. */
  | { readonly problems: Readonly<Record<string, string>>; readonly typed: Arguments };

const MOST_DEPTH = 3;
const MOST_FIELDS = 200;
const LONG_TEXT = 300;

export function keyOf({ path }: Pick<Field, 'path'>): string {
  return JSON.stringify(path);
}

export function fieldsOf(schema: Schema): readonly Field[] {
  return membersOf(typeof schema['$ref'] === 'string' ? resolve(schema, schema) : schema, schema, [], 0);
}

const OPEN = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties', 'dependentSchemas'];

/** Whether there may be arguments that no field is for, because the schema tells of them otherwise than by name. */
export function takesOthers(schema: Schema): boolean {
  const others = schema['additionalProperties'];
  return (others !== undefined && others !== false) || OPEN.some((word) => schema[word] !== undefined);
}

function membersOf(schema: Schema, root: Schema, path: readonly string[], depth: number): readonly Field[] {
  const required = Array.isArray(schema['required']) ? (schema['required'] as readonly unknown[]) : [];
  return Object.entries(asSchema(schema['properties']))
    .slice(0, MOST_FIELDS)
    .map(([name, member]) =>
      toField(asSchema(member), root, [...path, name], required.includes(name), depth),
    );
}

function toField(
  given: Schema,
  root: Schema,
  path: readonly string[],
  required: boolean,
  depth: number,
): Field {
  const schema = resolve(given, root);
  const { title, description, default: initial } = { ...schema, ...given };
  const base: FieldBase = {
    path,
    label: typeof title === 'string' && title !== '' ? title : (path.at(-1) ?? ''),
    description: typeof description === 'string' ? description : undefined,
    required,
    initial: '',
  };
  const field = shapeOf(schema, root, base, depth);
  return initial === undefined || field.kind === 'group'
    ? field
    : { ...field, initial: toText(field, initial) };
}

function shapeOf(schema: Schema, root: Schema, base: FieldBase, depth: number): Field {
  const choices = choicesOf(schema);
  if (choices.length > 0) return { ...base, kind: 'choice', choices };
  switch (typeOf(schema)) {
    case 'string': {
      const most = schema['maxLength'];
      return { ...base, kind: typeof most === 'number' && most > LONG_TEXT ? 'long' : 'text' };
    }
    case 'number':
      return { ...base, kind: 'number' };
    case 'integer':
      return { ...base, kind: 'integer' };
    case 'boolean':
      return { ...base, kind: 'boolean' };
    case 'array': {
      const member = resolve(asSchema(schema['items']), root);
      const offered = choicesOf(member);
      if (offered.length > 0) return { ...base, kind: 'choices', choices: offered };
      const items = typeOf(member);
      return items === 'string' || items === 'number' || items === 'integer'
        ? { ...base, kind: 'list', items }
        : { ...base, kind: 'json' };
    }
    case 'object': {
      const fields = depth < MOST_DEPTH ? membersOf(schema, root, base.path, depth + 1) : [];
      return fields.length > 0 ? { ...base, kind: 'group', fields } : { ...base, kind: 'json' };
    }
    default:
      return { ...base, kind: 'json' };
  }
}

/** The values that are offered, with the names they have for people. */
function choicesOf(schema: Schema): readonly FieldChoice[] {
  const { enum: values, enumNames: names } = schema;
  if (Array.isArray(values)) {
    const labels: readonly unknown[] = Array.isArray(names) ? names : [];
    return values.map((value: unknown, index) => toChoice(value, labels[index]));
  }
  const alternatives = alternativesOf(schema);
  if (alternatives.length === 0 || !alternatives.every((each) => Object.hasOwn(each, 'const'))) return [];
  return alternatives.map((each) => toChoice(each['const'], each['title']));
}

function toChoice(value: unknown, name: unknown): FieldChoice {
  const text = writeJson(value);
  const label = [name, value].find((each) => typeof each === 'string' && each !== '');
  return { value: text, label: typeof label === 'string' ? label : text };
}

function alternativesOf(schema: Schema): readonly Schema[] {
  const alternatives = schema['anyOf'] ?? schema['oneOf'];
  return Array.isArray(alternatives) ? alternatives.map(asSchema) : [];
}

/** One type, or one type and null. */
function typeOf(schema: Schema): unknown {
  const { type } = schema;
  if (!Array.isArray(type)) return type;
  const types = type.filter((each) => each !== 'null');
  return types.length === 1 ? types[0] : undefined;
}

/** Follows references inside the document, and the one part or the one alternative that is not null. */
function resolve(schema: Schema, root: Schema, hops = 0): Schema {
  if (hops > 10) return {};
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    if (!reference.startsWith('#/')) return {};
    const target = reference
      .slice(2)
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((value, part) => ownMember(value, part), root);
    return resolve(asSchema(target), root, hops + 1);
  }
  const { allOf: parts } = schema;
  // How some servers write a reference that has a default or a description of its own.
  if (Array.isArray(parts) && parts.length === 1 && schema['properties'] === undefined)
    return resolve(asSchema(parts[0]), root, hops + 1);
  const alternatives = alternativesOf(schema);
  if (alternatives.length === 0 || choicesOf(schema).length > 0) return schema;
  const real = alternatives.filter(({ type }) => type !== 'null');
  return real.length === 1 && real[0] !== undefined ? resolve(real[0], root, hops + 1) : {};
}

function ownMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Schema)[name]
    : undefined;
}

function asSchema(value: unknown): Schema {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function initialTexts(fields: readonly Field[]): Texts {
  return Object.fromEntries(
    fields.flatMap((field) =>
      field.kind === 'group'
        ? Object.entries(initialTexts(field.fields))
        : field.initial === ''
          ? []
          : [[keyOf(field), field.initial]],
    ),
  );
}

/** The names of the values that no field is for. */
export function withoutField(fields: readonly Field[], args: Arguments): readonly string[] {
  return Object.entries(args).flatMap(([name, value]) => {
    const field = fields.find(({ path }) => path.at(-1) === name);
    if (field === undefined) return [name];
    if (field.kind !== 'group') return [];
    return isObject(value) ? withoutField(field.fields, value).map((inner) => `${name}.${inner}`) : [name];
  });
}

/** The texts of a form that has these values. What has no field is lost. */
export function toTexts(fields: readonly Field[], args: Arguments): Texts {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = ownMember(args, field.path.at(-1) ?? '');
      if (value === undefined) return [];
      if (field.kind === 'group') return Object.entries(toTexts(field.fields, asSchema(value)));
      return [[keyOf(field), toText(field, value)]];
    }),
  );
}

function toText(field: Field, value: unknown): string {
  // Blank is what a form has for null: a text would say «null».
  if (value === null && field.kind !== 'json' && !offers(field, 'null')) return '';
  if (field.kind === 'list' && Array.isArray(value))
    return value.map((each) => (typeof each === 'string' ? each : writeJson(each))).join('\n');
  if (field.kind === 'choice' || field.kind === 'choices') return writeJson(value);
  return typeof value === 'string' && field.kind !== 'json' ? value : writeJson(value, 2);
}

function offers(field: Field, value: string): boolean {
  return field.kind === 'choice' && field.choices.some((choice) => choice.value === value);
}

/** The values of a form. What is left blank and not required is not given. */
export function readArguments(fields: readonly Field[], texts: Texts): ReadOutcome {
  const problems: Record<string, string> = {};
  const args = readGroup(fields, texts, problems);
  return Object.keys(problems).length > 0 ? { problems, typed: args } : { args };
}

function readGroup(fields: readonly Field[], texts: Texts, problems: Record<string, string>): Arguments {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const name = field.path.at(-1) ?? '';
      if (field.kind === 'group') {
        const members = readGroup(field.fields, texts, problems);
        return field.required || Object.keys(members).length > 0 ? [[name, members]] : [];
      }
      const text = texts[keyOf(field)] ?? '';
      if (text.trim() === '') {
        if (!field.required) return [];
        if (field.kind === 'text' || field.kind === 'long') return [[name, text]];
        problems[keyOf(field)] = 'This is needed.';
        return [];
      }
      const read = readText(field, text);
      if ('value' in read) return [[name, read.value]];
      problems[keyOf(field)] = read.problem;
      return [[name, text]];
    }),
  );
}

type ReadText = { readonly value: unknown } | { readonly problem: string };

function readText(field: Exclude<Field, { kind: 'group' }>, text: string): ReadText {
  switch (field.kind) {
    case 'text':
    case 'long':
      return { value: text };
    case 'number':
    case 'integer':
      return readNumber(field.kind, text);
    case 'boolean':
      return { value: text === 'true' };
    case 'list': {
      const lines = text.split('\n').filter((line) => line.trim() !== '');
      if (field.items === 'string') return { value: lines };
      const values = lines.map((line) => readNumber(field.items === 'integer' ? 'integer' : 'number', line));
      const wrong = values.find((value) => 'problem' in value);
      return wrong ?? { value: values.map((value) => ('value' in value ? value.value : undefined)) };
    }
    case 'choice':
    case 'choices':
    case 'json':
      try {
        return { value: parseJson(text) };
      } catch {
        return { problem: 'This is not JSON.' };
      }
  }
}

function readNumber(kind: 'number' | 'integer', text: string): ReadText {
  const written = text.trim();
  const value = readExact(written) ?? Number(written);
  if (value instanceof ExactNumber)
    return kind === 'number' || /^-?\d+$/.test(written)
      ? { value }
      : { problem: 'This is not a whole number.' };
  if (!Number.isFinite(value)) return { problem: 'This is not a number.' };
  if (kind === 'integer' && !Number.isInteger(value)) return { problem: 'This is not a whole number.' };
  return { value };
}
