import { isObject, stringifyJson, type Json, type JsonObject } from '../jsonrpc/index.js';
import { isAtLeast, type LegacyRevision } from './revisions.js';

/** A handler's result as a legacy client of this revision understands it. */
export function toLegacyResult(method: string, result: JsonObject, revision: LegacyRevision): JsonObject {
  const { resultType: _type, ttlMs: _ttl, cacheScope: _scope, ...plain } = result;
  switch (method) {
    case 'tools/list':
      return { ...plain, tools: mapArray(plain['tools'], toLegacyTool) };
    case 'tools/call':
      return toLegacyCallResult(plain, revision);
    case 'prompts/get':
      return { ...plain, messages: mapArray(plain['messages'], (message) => toLegacyMessage(message, revision)) };
    default:
      return plain;
  }
}

/** Before the modern era the root of an output schema had to be an object. */
function toLegacyTool(tool: Json): Json {
  if (!isObject(tool) || !isObject(tool['outputSchema'])) return tool;
  const schema = tool['outputSchema'];
  if (schema['type'] === 'object') return tool;
  const { outputSchema: _, ...rest } = tool;
  // A root that may or may not be an object could not be told apart in a result, so only plain other types are wrapped.
  return isNonObjectType(schema['type']) ? { ...rest, outputSchema: wrapSchema(schema) } : rest;
}

function isNonObjectType(type: Json | undefined): boolean {
  return typeof type === 'string' && type !== 'object';
}

function wrapSchema(schema: JsonObject): JsonObject {
  const { $schema, $defs, definitions, ...inner } = schema;
  return {
    ...($schema !== undefined && { $schema }),
    type: 'object',
    properties: { result: rebase(inner) },
    required: ['result'],
    ...($defs !== undefined && { $defs: rebase($defs) }),
    ...(definitions !== undefined && { definitions: rebase(definitions) }),
  };
}

/** Pointers into the definitions still hold because those stay at the root; pointers to the root move down one level. */
function rebase(value: Json): Json {
  if (Array.isArray(value)) return value.map(rebase);
  if (!isObject(value)) return value;
  const moved: Record<string, Json | undefined> = {};
  for (const key in value) {
    const member = value[key];
    moved[key] = key === '$ref' && typeof member === 'string' ? rebasePointer(member) : member === undefined ? member : rebase(member);
  }
  return moved;
}

function rebasePointer(pointer: string): string {
  if (pointer === '#') return '#/properties/result';
  if (!pointer.startsWith('#/') || pointer.startsWith('#/$defs/') || pointer.startsWith('#/definitions/')) return pointer;
  return `#/properties/result${pointer.slice(1)}`;
}

function toLegacyCallResult(result: JsonObject, revision: LegacyRevision): JsonObject {
  const { structuredContent, content } = result;
  const blocks = Array.isArray(content) && !isAtLeast(revision, '2025-06-18') ? content.map((block) => toOldBlock(block, revision)) : content;
  if (structuredContent === undefined || isObject(structuredContent)) {
    return blocks === content ? result : { ...result, content: blocks };
  }
  const texts = Array.isArray(blocks) && blocks.length > 0 ? blocks : [{ type: 'text', text: stringifyJson(structuredContent) }];
  return { ...result, content: texts, structuredContent: { result: structuredContent } };
}

function toLegacyMessage(message: Json, revision: LegacyRevision): Json {
  if (isAtLeast(revision, '2025-06-18') || !isObject(message) || message['content'] === undefined) return message;
  return { ...message, content: toOldBlock(message['content'], revision) };
}

/** Blocks that a revision does not know become text that says what was there. */
function toOldBlock(block: Json, revision: LegacyRevision): Json {
  if (!isObject(block)) return block;
  if (block['type'] === 'resource_link' && !isAtLeast(revision, '2025-06-18')) {
    return { type: 'text', text: `${String(block['name'] ?? 'resource')}: ${String(block['uri'])}` };
  }
  if (block['type'] === 'audio' && !isAtLeast(revision, '2025-03-26')) {
    return { type: 'text', text: `[audio, ${String(block['mimeType'] ?? 'unknown type')}]` };
  }
  return block;
}

function mapArray(value: Json | undefined, change: (item: Json) => Json): Json | undefined {
  return Array.isArray(value) ? value.map(change) : value;
}
