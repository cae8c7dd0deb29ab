import { writeJson } from '../shared/exact-json.js';
import { toPlainLine, toPlainText } from '../shared/plain-text.js';

type Schema = Readonly<Record<string, unknown>>;

const MOST_ROWS = 200;
const MOST_DEPTH = 4;

interface Row {
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly rules: readonly string[];
  readonly description: string | undefined;
}

/** A schema as a table: one row for each member, nested ones by their path. */
export function SchemaTable({ schema, label }: { readonly schema: Schema; readonly label: string }) {
  const rows = rowsOf(schema, '', 0).slice(0, MOST_ROWS);
  if (rows.length === 0) return <p className="text-muted">Nothing is said of its members.</p>;
  return (
    <div className="overflow-x-auto" role="region" aria-label={label} tabIndex={0}>
      <table className="w-full min-w-96 text-left text-sm">
        <thead className="text-muted">
          <tr>
            <th scope="col" className="py-1 pr-4 font-medium">
              Name
            </th>
            <th scope="col" className="py-1 pr-4 font-medium">
              Type
            </th>
            <th scope="col" className="py-1 font-medium">
              Meaning
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ path, type, required, rules, description }) => (
            <tr key={path} className="border-t border-line align-top">
              <th scope="row" className="mono py-1.5 pr-4 font-medium wrap-anywhere">
                <bdi>{toPlainLine(path, 120)}</bdi>
                {required && <span className="font-sans text-xs font-normal text-muted"> required</span>}
              </th>
              <td className="min-w-24 py-1.5 pr-4 wrap-anywhere">{toPlainLine(type, 80)}</td>
              <td className="py-1.5 wrap-anywhere">
                {description !== undefined && <p dir="auto">{toPlainText(description, 600)}</p>}
                {rules.length > 0 && <p className="text-muted">{toPlainLine(rules.join(', '), 300)}</p>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const RULES = [
  'format',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'pattern',
  'default',
  'const',
];

function rowsOf(schema: Schema, prefix: string, depth: number): readonly Row[] {
  const properties = schema['properties'];
  if (!isSchema(properties) || depth > MOST_DEPTH) return [];
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(properties).flatMap(([name, given]) => {
    const member = isSchema(given) ? given : {};
    const path = prefix + name;
    const { description, items } = member;
    const rules = RULES.flatMap((rule) =>
      member[rule] === undefined ? [] : [`${rule} ${writeJson(member[rule])}`],
    );
    const choices = choicesOf(member);
    return [
      {
        path,
        type: typeOf(member),
        required: required.includes(name),
        rules: choices.length > 0 ? [`one of ${choices.join(', ')}`, ...rules] : rules,
        description: typeof description === 'string' ? description : undefined,
      },
      ...rowsOf(member, `${path}.`, depth + 1),
      ...(isSchema(items) ? rowsOf(items, `${path}[].`, depth + 1) : []),
    ];
  });
}

/** The values that are offered, with the names they have for people; of a list, those of its members. */
function choicesOf({ enum: values, anyOf, oneOf, items }: Schema): readonly string[] {
  if (Array.isArray(values)) return values.map((each) => writeJson(each));
  const alternatives = anyOf ?? oneOf;
  const fixed = (Array.isArray(alternatives) ? alternatives : []).filter(
    (each): each is Schema => isSchema(each) && each['const'] !== undefined,
  );
  if (fixed.length > 0)
    return fixed.map(({ const: value, title }) =>
      typeof title === 'string' ? `${writeJson(value)} (${title})` : writeJson(value),
    );
  return isSchema(items) ? choicesOf(items) : [];
}

function typeOf({ type, items, $ref, anyOf, oneOf, ...others }: Schema): string {
  if (type === 'array') return `list of ${isSchema(items) ? typeOf(items) : 'anything'}`;
  if (Array.isArray(type)) return type.join(' or ');
  if (typeof type === 'string') return type;
  if (typeof $ref === 'string') return $ref.split('/').at(-1) ?? 'anything';
  const alternatives = anyOf ?? oneOf;
  if (Array.isArray(alternatives))
    return [...new Set(alternatives.map((each) => (isSchema(each) ? typeOf(each) : 'anything')))].join(
      ' or ',
    );
  const values = Array.isArray(others['enum']) ? others['enum'] : [others['const']];
  const types = [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))];
  return types.includes('undefined') || types.includes('object') ? 'anything' : types.join(' or ');
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
