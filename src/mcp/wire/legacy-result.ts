import { isObject, stringifyJson, type Json, type JsonObject } from '../jsonrpc/index.js';
import { mapMembers, rewriteSchema, withoutParamHeaders } from '../model/index.js';
import { META_SERVER_INFO, metaOf } from './meta.js';
import { isOfProtocol } from './protocol-methods.js';
import { hasLegacyTasks, isAtLeast, type LegacyRevision } from './revisions.js';

/** Kinds of content in a result that become text for a client of this revision. */
export function reducedKinds(
  method: string,
  result: JsonObject,
  revision: LegacyRevision,
): readonly string[] {
  if (isAtLeast(revision, '2025-06-18')) return [];
  const { [method === 'prompts/get' ? 'messages' : 'content']: items } = result;
  if (!Array.isArray(items)) return [];
  const blocks = method === 'prompts/get' ? items.map(contentOf) : items;
  const kinds = blocks.map((block: Json) => (toOldBlock(block, revision) === block ? '' : typeOf(block)));
  return [...new Set(kinds)].filter((kind) => kind !== '');
}

function contentOf(message: Json): Json {
  return isObject(message) ? (message['content'] ?? null) : null;
}

function typeOf(block: Json): string {
  return isObject(block) ? textOf(block['type'], '') : '';
}

/** A handler's result as a legacy client of this revision understands it. */
export function toLegacyResult(method: string, result: JsonObject, revision: LegacyRevision): JsonObject {
  const plain = withoutServerInfo(withoutModernMembers(method, result));
  switch (method) {
    case 'tools/list':
      return withArray(plain, 'tools', (tool) => toLegacyTool(tool, revision));
    case 'tools/call':
    case 'tasks/result':
      return toLegacyCallResult(plain, revision);
    case 'prompts/get':
      return withArray(plain, 'messages', (message) => toLegacyMessage(message, revision));
    default:
      return plain;
  }
}

/** The same object where there are none: most results have none, and some are large. */
function withoutModernMembers(method: string, result: JsonObject): JsonObject {
  if (!('resultType' in result || 'ttlMs' in result || 'cacheScope' in result)) return result;
  const { resultType: _type, ...typeless } = result;
  if (!isOfProtocol(method)) return typeless;
  const { ttlMs: _ttl, cacheScope: _scope, ...rest } = typeless;
  return rest;
}

/** A legacy server names itself in the handshake only. */
function withoutServerInfo(result: JsonObject): JsonObject {
  const meta = metaOf(result);
  if (meta?.[META_SERVER_INFO] === undefined) return result;
  const { [META_SERVER_INFO]: _info, ...keys } = meta;
  const { _meta, ...rest } = result;
  return Object.keys(keys).length === 0 ? rest : { ...rest, _meta: keys };
}

/** Header annotations mean nothing here, and before the modern era the root of an output schema had to be an object. */
function toLegacyTool(tool: Json, revision: LegacyRevision): Json {
  if (!isObject(tool)) return tool;
  const { inputSchema, outputSchema, execution, ...rest } = tool;
  const output = isObject(outputSchema) ? withObjectProperties(toObjectSchema(outputSchema)) : outputSchema;
  return {
    ...rest,
    ...(execution !== undefined && hasLegacyTasks(revision) && { execution }),
    ...(inputSchema !== undefined && {
      inputSchema: isObject(inputSchema)
        ? withObjectProperties(withoutParamHeaders(inputSchema))
        : inputSchema,
    }),
    ...(output !== undefined && { outputSchema: output }),
  };
}

/**
 * A root that may or may not be an object could not be told apart in a result, so only plain other types are wrapped
 * and the rest have no schema.
 */
function toObjectSchema(schema: JsonObject): JsonObject | undefined {
  const { $schema, ...inner } = schema;
  if (inner['type'] === 'object') return schema;
  if (typeof inner['type'] !== 'string') return undefined;
  return {
    ...($schema !== undefined && { $schema }),
    type: 'object',
    properties: { result: rewriteSchema(inner, rebaseReferences) },
    required: ['result'],
  };
}

/** Before the modern era the schema of a property had to be an object, so `true` and `false` are written as one. */
function withObjectProperties<Schema extends JsonObject | undefined>(schema: Schema): Schema | JsonObject {
  const properties = schema?.['properties'];
  if (!isObject(properties) || !Object.values(properties).some(isBoolean)) return schema;
  return { ...schema, properties: mapMembers(properties, toObjectForm) };
}

function toObjectForm(schema: Json): Json {
  if (!isBoolean(schema)) return schema;
  return schema ? {} : { not: {} };
}

function isBoolean(value: Json | undefined): value is boolean {
  return typeof value === 'boolean';
}

const NEW_ROOT = '#/properties/result';

/** References from the root of the document have to follow the schema one level down. */
function rebaseReferences(schema: JsonObject): JsonObject | undefined {
  if (startsDocument(schema['$id'])) return undefined;
  const { $ref, $dynamicRef, $recursiveRef, ...rest } = schema;
  return {
    ...rest,
    // The keyword of 2019-09 knows no other target than the root.
    ...($recursiveRef !== undefined && { $ref: NEW_ROOT }),
    ...($ref !== undefined && { $ref: rebase($ref) }),
    ...($dynamicRef !== undefined && { $dynamicRef: rebase($dynamicRef) }),
  };
}

/** Inside a schema with an address of its own, references start at that schema. A bare fragment is only an anchor. */
function startsDocument(id: Json | undefined): boolean {
  return typeof id === 'string' && !id.startsWith('#');
}

function rebase(reference: Json): Json {
  if (reference === '#') return NEW_ROOT;
  return typeof reference === 'string' && reference.startsWith('#/')
    ? `${NEW_ROOT}${reference.slice(1)}`
    : reference;
}

function toLegacyCallResult(result: JsonObject, revision: LegacyRevision): JsonObject {
  const { structuredContent } = result;
  const converted = isAtLeast(revision, '2025-06-18')
    ? result
    : withArray(result, 'content', (block) => toOldBlock(block, revision));
  if (structuredContent === undefined || isObject(structuredContent)) return converted;
  const blocks: readonly Json[] = Array.isArray(converted['content']) ? converted['content'] : [];
  // Who wrote a text has rendered the value already; otherwise somebody who reads only the blocks would miss it.
  const rendered = Array.isArray(result['content']) && result['content'].some(isText);
  const text = { type: 'text', text: stringifyJson(structuredContent) };
  return {
    ...converted,
    content: rendered ? blocks : [...blocks, text],
    structuredContent: { result: structuredContent },
  };
}

function isText(block: Json): boolean {
  return isObject(block) && block['type'] === 'text';
}

/** A message of a prompt or a sampling request. */
export function toLegacyMessage(message: Json, revision: LegacyRevision): Json {
  if (isAtLeast(revision, '2025-06-18') || !isObject(message) || message['content'] === undefined)
    return message;
  return { ...message, content: toOldBlock(message['content'], revision) };
}

/** Blocks that a revision does not know become text that says what was there. */
function toOldBlock(block: Json, revision: LegacyRevision): Json {
  if (!isObject(block)) return block;
  if (block['type'] === 'resource_link' && !isAtLeast(revision, '2025-06-18')) {
    return { type: 'text', text: `${textOf(block['name'], 'resource')}: ${textOf(block['uri'], '')}` };
  }
  if (block['type'] === 'audio' && !isAtLeast(revision, '2025-03-26')) {
    return { type: 'text', text: `[audio, ${textOf(block['mimeType'], 'unknown type')}]` };
  }
  return block;
}

function textOf(value: Json | undefined, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}

function withArray(object: JsonObject, name: string, change: (item: Json) => Json): JsonObject {
  const items = object[name];
  return Array.isArray(items) ? { ...object, [name]: items.map((item: Json) => change(item)) } : object;
}
