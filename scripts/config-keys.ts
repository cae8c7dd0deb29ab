/** The part of a JSON Schema that says which keys a configuration has. */
export interface KeySchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, KeySchema>>;
  readonly additionalProperties?: boolean | KeySchema;
  readonly items?: KeySchema;
  readonly anyOf?: readonly KeySchema[];
  readonly oneOf?: readonly KeySchema[];
}

export interface ConfigKey {
  /** Dotted; `ID` stands for a name of the operator's choice, `[]` for each item of a list. */
  readonly path: string;
  readonly type: string;
  /** Every place in the schema that describes this key: alternatives may share one. */
  readonly schemas: readonly KeySchema[];
}

/** Every key below a schema, in the order of the schema. */
export function configKeysOf(schema: KeySchema): readonly ConfigKey[] {
  const found = new Map<string, KeySchema[]>();
  collect(schema, '', found);
  return [...found].map(([path, schemas]) => ({ path, schemas, type: describeType(schemas) }));
}

function collect(schema: KeySchema, path: string, found: Map<string, KeySchema[]>): void {
  for (const alternative of alternativesOf(schema)) collect(alternative, path, found);
  for (const [key, member] of Object.entries(schema.properties ?? {})) {
    const at = path === '' ? key : `${path}.${key}`;
    found.set(at, [...(found.get(at) ?? []), member]);
    collect(member, at, found);
  }
  if (typeof schema.additionalProperties === 'object')
    collect(schema.additionalProperties, `${path}.ID`, found);
  if (schema.items !== undefined) collect(schema.items, `${path}[]`, found);
}

function alternativesOf({ anyOf, oneOf }: KeySchema): readonly KeySchema[] {
  return [...(anyOf ?? []), ...(oneOf ?? [])];
}

/** In words short enough for a table. */
function describeType(schemas: readonly KeySchema[]): string {
  return [...new Set(schemas.map(describeOne))].join(' or ');
}

function describeOne(schema: KeySchema): string {
  const alternatives = alternativesOf(schema);
  if (alternatives.length > 0) return describeType(alternatives);
  if (schema.enum !== undefined) return schema.enum.join(', ');
  if (schema.const !== undefined) return schema.const;
  switch (schema.type) {
    case 'string':
      return schema.format === 'uri' ? 'URL' : 'text';
    case 'integer':
    case 'number':
      return describeNumber(schema);
    case 'boolean':
      return 'true or false';
    case 'array':
      return `list of ${schema.items === undefined ? 'anything' : describeOne(schema.items)}`;
    case 'object':
      return describeObject(schema);
    default:
      return schema.type ?? 'anything';
  }
}

/** Schemas that come from whole numbers have these bounds where nobody set any. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;

function describeNumber({ minimum, maximum }: KeySchema): string {
  const least = minimum === undefined || minimum === -UNBOUNDED ? undefined : minimum;
  const most = maximum === undefined || maximum === UNBOUNDED ? undefined : maximum;
  if (least === undefined) return most === undefined ? 'number' : `number up to ${most}`;
  return most === undefined ? `number from ${least}` : `number ${least} to ${most}`;
}

function describeObject({ properties, additionalProperties }: KeySchema): string {
  if (properties !== undefined) return 'keys below';
  return typeof additionalProperties === 'object' ? `map to ${describeOne(additionalProperties)}` : 'map';
}
