import { isObject, type JsonObject } from '../jsonrpc/index.js';
import type { Prompt, Resource, ResourceTemplate, Tool } from '../model/index.js';

/** Entries of lists as they came, once what their types promise is certain; else what is wrong with them. */

export function readTool(entry: JsonObject): Tool | string {
  const { inputSchema, outputSchema } = entry;
  if (!isObject(inputSchema)) return 'inputSchema must be an object';
  const { type } = inputSchema;
  if (type !== undefined && type !== 'object') return 'inputSchema must describe an object';
  if (outputSchema !== undefined && !isObject(outputSchema)) return 'outputSchema must be an object';
  return entry as unknown as Tool;
}

export function readPrompt(entry: JsonObject): Prompt | string {
  const { arguments: args } = entry;
  if (args !== undefined && !(Array.isArray(args) && args.every(isObject)))
    return 'arguments must be objects';
  return entry as unknown as Prompt;
}

export function readResource(entry: JsonObject): Resource | string {
  return typeof entry['name'] === 'string' ? (entry as unknown as Resource) : 'name must be a string';
}

export function readResourceTemplate(entry: JsonObject): ResourceTemplate | string {
  return typeof entry['name'] === 'string' ? (entry as unknown as ResourceTemplate) : 'name must be a string';
}
