import { isObject, type Json, type JsonObject } from '../mcp/jsonrpc/index.js';

type Check = (value: Json) => boolean;

const TYPES = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);
const LOCAL_REFERENCE = /^#(?:\/[\w$.-]+)*$/;

const isText: Check = (value) => typeof value === 'string';
const isFlag: Check = (value) => typeof value === 'boolean';
const isNumber: Check = (value) => typeof value === 'number';
const isCount: Check = (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
const isAny: Check = () => true;
const isSchema: Check = (value) => typeof value === 'boolean' || (isObject(value) && isPlainSchema(value));
const isSchemaList: Check = (value) => isList(value) && value.length > 0 && value.every(isSchema);
const isSchemaTable: Check = (value) =>
  isObject(value) && Object.values(value).every((member) => member !== undefined && isSchema(member));
const isTextSet = (value: Json): value is readonly string[] =>
  isList(value) && new Set(value).size === value.length && value.every(isText);
const isType: Check = (value) =>
  typeof value === 'string'
    ? TYPES.has(value)
    : isTextSet(value) && value.length > 0 && value.every((text) => TYPES.has(text));

/** What each keyword asks of its value is the same in all drafts from 6 on; where they differ, the stricter is meant. */
const KEYWORDS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['$comment', isText],
  ['$defs', isSchemaTable],
  ['$ref', (value) => typeof value === 'string' && LOCAL_REFERENCE.test(value)],
  ['additionalProperties', isSchema],
  ['allOf', isSchemaList],
  ['anyOf', isSchemaList],
  ['const', isAny],
  ['default', isAny],
  ['definitions', isSchemaTable],
  ['deprecated', isFlag],
  ['description', isText],
  ['enum', (value) => isTextSet(value) && value.length > 0],
  ['examples', isList],
  ['exclusiveMaximum', isNumber],
  ['exclusiveMinimum', isNumber],
  ['format', isText],
  ['items', isSchema],
  ['maxItems', isCount],
  ['maxLength', isCount],
  ['maxProperties', isCount],
  ['maximum', isNumber],
  ['minItems', isCount],
  ['minLength', isCount],
  ['minProperties', isCount],
  ['minimum', isNumber],
  ['not', isSchema],
  ['oneOf', isSchemaList],
  ['properties', isSchemaTable],
  ['readOnly', isFlag],
  ['required', isTextSet],
  ['title', isText],
  ['type', isType],
  ['uniqueItems', isFlag],
  ['writeOnly', isFlag],
]);

/**
 * Whether a schema is made of the everyday keywords only, each with a value that is right for it: then it is valid, and
 * the compiler, which takes long to load and longer to learn what a valid schema is, need not be asked. Most tools have
 * such schemas. False means that it is not known. The depth must be bounded already.
 */
export function isPlainSchema(schema: JsonObject): boolean {
  return Object.entries(schema).every(([keyword, value]) => {
    const check = KEYWORDS.get(keyword);
    return check !== undefined && value !== undefined && check(value);
  });
}
