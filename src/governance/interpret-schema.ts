import { isObject, type Json, type JsonObject } from '../mcp/jsonrpc/index.js';
import { STEPS_PER_REFERENCE } from './check-budget.js';
import { resolvePointer } from './schema-admission.js';
import {
  ASSERTIONS,
  hasMember,
  isRecord,
  missingMessage,
  more,
  NOTHING,
  textsOf,
  toNumber,
  violation,
  type Rule,
  type RuleSurroundings,
  type Violation,
} from './schema-rules.js';

/** Of one value; more would only be cut away. */
const MOST_VIOLATIONS = 8;

type Applies = (wanted: Json, schema: JsonObject) => Rule | undefined;

/**
 * Checks values against a schema by walking through both. Compiling takes a time that grows with the schema, and faster
 * than it: seconds for the largest. This takes none, and looks only at those parts that a value leads to; each look takes
 * several times as long as what is compiled.
 */
export function interpretSchema(
  root: JsonObject,
  around: RuleSurroundings,
): (value: unknown) => readonly Violation[] {
  const interpreter = new SchemaInterpreter(root, around);
  return (value) => interpreter.check(value);
}

class SchemaInterpreter {
  readonly #root: JsonObject;
  readonly #around: RuleSurroundings;
  readonly #applicators: ReadonlyMap<string, Applies>;
  readonly #looks = new Map<JsonObject, Rule>();
  #anchors: ReadonlyMap<string, JsonObject> | undefined;

  constructor(root: JsonObject, around: RuleSurroundings) {
    this.#root = root;
    this.#around = around;
    this.#applicators = new Map<string, Applies>([
      ['$ref', (wanted) => this.#applyReference(wanted)],
      ['$dynamicRef', (wanted) => this.#applyReference(wanted)],
      ['allOf', (wanted) => firstOf(this.#looksFor(wanted))],
      ['anyOf', (wanted) => applyAnyOf(this.#looksFor(wanted))],
      ['oneOf', (wanted) => applyOneOf(this.#looksFor(wanted))],
      ['not', (wanted) => applyNot(this.#lookFor(wanted))],
      ['if', (wanted, schema) => this.#applyIf(wanted, schema)],
      ['properties', (_wanted, schema) => this.#applyMembers(schema)],
      [
        'patternProperties',
        (_wanted, schema) => ('properties' in schema ? undefined : this.#applyMembers(schema)),
      ],
      [
        'additionalProperties',
        (_wanted, schema) =>
          'properties' in schema || 'patternProperties' in schema ? undefined : this.#applyMembers(schema),
      ],
      ['propertyNames', (wanted) => applyNames(this.#lookFor(wanted))],
      ['dependentSchemas', (wanted) => this.#applyDependent(wanted)],
      ['dependencies', (wanted) => this.#applyDependent(wanted)],
      ['items', (_wanted, schema) => this.#applyItems(schema)],
      ['prefixItems', (_wanted, schema) => ('items' in schema ? undefined : this.#applyItems(schema))],
      ['contains', (wanted, schema) => this.#applyContains(wanted, schema)],
    ]);
  }

  check(value: unknown): readonly Violation[] {
    return this.#lookFor(this.#root)(value, '');
  }

  #lookFor(schema: Json | undefined): Rule {
    if (schema === false) return (_value, path) => violation(path, 'false schema', 'boolean schema is false');
    if (!isObject(schema)) return () => NOTHING;
    const known = this.#looks.get(schema);
    if (known !== undefined) return known;
    let rule: Rule | undefined;
    // Read when a value comes here: a schema may lead back to itself.
    const made: Rule = (value, path) => {
      this.#around.budget.spend(1);
      rule ??= firstOf(this.#rulesOf(schema));
      return rule(value, path);
    };
    this.#looks.set(schema, made);
    return made;
  }

  #looksFor(schemas: Json | undefined): readonly Rule[] {
    return Array.isArray(schemas) ? (schemas as readonly Json[]).map((schema) => this.#lookFor(schema)) : [];
  }

  #rulesOf(schema: JsonObject): readonly Rule[] {
    const rules: Rule[] = [];
    for (const [keyword, wanted] of Object.entries(schema)) {
      if (wanted === undefined) continue;
      const rule =
        ASSERTIONS.get(keyword)?.(wanted, this.#around, schema) ??
        this.#applicators.get(keyword)?.(wanted, schema);
      // What is quick to look at comes first.
      if (rule !== undefined && ASSERTIONS.has(keyword)) rules.unshift(rule);
      else if (rule !== undefined) rules.push(rule);
    }
    return rules;
  }

  #applyReference(wanted: Json): Rule {
    const target = typeof wanted === 'string' ? this.#targetOf(wanted) : undefined;
    if (target === undefined)
      return (_value, path) => violation(path, '$ref', `can't resolve reference ${JSON.stringify(wanted)}`);
    const followed = this.#lookFor(target);
    return (value, path) => {
      this.#around.budget.spend(STEPS_PER_REFERENCE);
      return followed(value, path);
    };
  }

  #targetOf(reference: string): Json | undefined {
    if (reference === '#' || reference.startsWith('#/')) return resolvePointer(this.#root, reference);
    this.#anchors ??= findAnchors(this.#root);
    return this.#anchors.get(reference.slice(1));
  }

  #applyIf(wanted: Json, schema: JsonObject): Rule | undefined {
    if (schema['then'] === undefined && schema['else'] === undefined) return undefined;
    const condition = this.#lookFor(wanted);
    const branches = { then: this.#lookFor(schema['then']), else: this.#lookFor(schema['else']) };
    return (value, path) => {
      const branch = condition(value, path).length === 0 ? 'then' : 'else';
      const found = branches[branch](value, path);
      return found.length === 0
        ? NOTHING
        : joined(found, violation(path, 'if', `must match "${branch}" schema`));
    };
  }

  /** The three keywords about members speak of each other. */
  #applyMembers(schema: JsonObject): Rule {
    const named = new Map(
      entriesOf(schema['properties']).map(([name, member]) => [name, this.#lookFor(member)]),
    );
    const patterns = entriesOf(schema['patternProperties']).map(
      ([source, member]) => [this.#around.pattern(source), this.#lookFor(member)] as const,
    );
    const { additionalProperties } = schema;
    const additional = additionalProperties === undefined ? undefined : this.#lookFor(additionalProperties);
    return (value, path) => {
      if (!isRecord(value)) return NOTHING;
      for (const name of Object.keys(value)) {
        const member = value[name];
        if (member === undefined) continue;
        this.#around.budget.spend(1 + patterns.length);
        const ways = patterns.filter(([one]) => one.test(name)).map(([, rule]) => rule);
        const own = named.get(name);
        if (own !== undefined) ways.push(own);
        if (ways.length === 0 && additionalProperties === false)
          return violation(path, 'additionalProperties', 'must NOT have additional properties', {
            additionalProperty: name,
          });
        if (ways.length === 0 && additional !== undefined) ways.push(additional);
        const found = firstOf(ways)(member, `${path}/${escaped(name)}`);
        if (found.length > 0) return found;
      }
      return NOTHING;
    };
  }

  #applyDependent(wanted: Json): Rule {
    const dependents = entriesOf(wanted).map(
      ([name, member]) => [name, Array.isArray(member) ? textsOf(member) : this.#lookFor(member)] as const,
    );
    return (value, path) => {
      if (!isRecord(value)) return NOTHING;
      for (const [name, asks] of dependents) {
        this.#around.budget.spend(1);
        if (!hasMember(value, name)) continue;
        const found =
          typeof asks === 'function'
            ? asks(value, path)
            : asks.every((one) => hasMember(value, one))
              ? NOTHING
              : violation(path, 'dependencies', missingMessage(name, asks));
        if (found.length > 0) return found;
      }
      return NOTHING;
    };
  }

  /** A list of schemas is for the first items: `prefixItems`, or `items` in older drafts with `additionalItems` for the rest. */
  #applyItems(schema: JsonObject): Rule {
    const { items, prefixItems } = schema;
    const first = this.#looksFor(prefixItems ?? items);
    const rest = Array.isArray(items) ? schema['additionalItems'] : items;
    const others = rest === undefined ? undefined : this.#lookFor(rest);
    return (value, path) => {
      if (!Array.isArray(value)) return NOTHING;
      if (rest === false && value.length > first.length)
        return violation(path, 'items', more('items')(first.length));
      const end = others === undefined ? Math.min(first.length, value.length) : value.length;
      for (let index = 0; index < end; index++) {
        const found = (first[index] ?? others)?.(value[index], `${path}/${index}`) ?? NOTHING;
        if (found.length > 0) return found;
      }
      return NOTHING;
    };
  }

  #applyContains(wanted: Json, schema: JsonObject): Rule {
    const wantedItem = this.#lookFor(wanted);
    const least = toNumber(schema['minContains']) ?? 1;
    const most = toNumber(schema['maxContains']);
    const upTo = most === undefined ? '' : ` and no more than ${most}`;
    return (value, path) => {
      if (!Array.isArray(value)) return NOTHING;
      const count = value.filter((item, index) => wantedItem(item, `${path}/${index}`).length === 0).length;
      return count >= least && count <= (most ?? Infinity)
        ? NOTHING
        : violation(path, 'contains', `must contain at least ${least}${upTo} valid item(s)`);
    };
  }
}

function firstOf(rules: readonly Rule[]): Rule {
  return (value, path) => {
    for (const rule of rules) {
      const found = rule(value, path);
      if (found.length > 0) return found;
    }
    return NOTHING;
  };
}

function applyAnyOf(branches: readonly Rule[]): Rule {
  return (value, path) => {
    let all: readonly Violation[] = NOTHING;
    for (const branch of branches) {
      const found = branch(value, path);
      if (found.length === 0) return NOTHING;
      all = joined(all, found);
    }
    return joined(all, violation(path, 'anyOf', 'must match a schema in anyOf'));
  };
}

function applyOneOf(branches: readonly Rule[]): Rule {
  return (value, path) => {
    let all: readonly Violation[] = NOTHING;
    let passed = 0;
    for (const branch of branches) {
      const found = branch(value, path);
      if (found.length === 0 && ++passed > 1) break;
      all = joined(all, found);
    }
    if (passed === 1) return NOTHING;
    const message = violation(path, 'oneOf', 'must match exactly one schema in oneOf');
    return passed > 1 ? message : joined(all, message);
  };
}

function applyNot(unwanted: Rule): Rule {
  return (value, path) =>
    unwanted(value, path).length > 0 ? NOTHING : violation(path, 'not', 'must NOT be valid');
}

function applyNames(look: Rule): Rule {
  return (value, path) => {
    if (!isRecord(value)) return NOTHING;
    for (const name of Object.keys(value)) {
      const found = look(name, path);
      if (found.length > 0)
        return joined(found, violation(path, 'propertyNames', 'property name must be valid'));
    }
    return NOTHING;
  };
}

function joined(before: readonly Violation[], found: readonly Violation[]): readonly Violation[] {
  return before.length >= MOST_VIOLATIONS ? before : [...before, ...found];
}

function entriesOf(value: Json | undefined): readonly (readonly [string, Json | undefined])[] {
  return isObject(value) ? Object.entries(value) : [];
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function findAnchors(schema: JsonObject): ReadonlyMap<string, JsonObject> {
  const anchors = new Map<string, JsonObject>();
  const visit = (part: Json | undefined): void => {
    if (Array.isArray(part)) (part as readonly Json[]).forEach(visit);
    if (!isObject(part)) return;
    for (const name of [part['$anchor'], part['$dynamicAnchor']])
      if (typeof name === 'string') anchors.set(name, part);
    Object.values(part).forEach(visit);
  };
  visit(schema);
  return anchors;
}
