import { isObject, type JsonObject } from '../jsonrpc/index.js';
import type { Prompt, Resource, ResourceTemplate, Tool } from '../model/index.js';
import { toWellFormedPrompt, toWellFormedResource, toWellFormedTool } from './well-formed-offer.js';

/** Entries of lists as they came, once what their types promise is certain; else what is wrong with them. */

export function readTool(entry: JsonObject): Tool | string {
  const tool = toWellFormedTool(entry);
  const { inputSchema, outputSchema } = tool;
  if (!isObject(inputSchema)) return 'inputSchema must be an object';
  const { type } = inputSchema;
  if (type !== undefined && type !== 'object') return 'inputSchema must describe an object';
  if (outputSchema !== undefined && !isObject(outputSchema)) return 'outputSchema must be an object';
  // Arguments are an object, whether or not their schema says so; clients want it said.
  const whole = type === undefined ? { ...tool, inputSchema: { ...inputSchema, type: 'object' } } : tool;
  return whole as unknown as Tool;
}

export function readPrompt(entry: JsonObject): Prompt | string {
  const prompt = toWellFormedPrompt(entry);
  const { arguments: args } = prompt;
  if (args !== undefined && !(Array.isArray(args) && args.every(isObject)))
    return 'arguments must be objects';
  if (args?.some(({ name }) => typeof name !== 'string') === true) return 'arguments must have names';
  return prompt as unknown as Prompt;
}

export function readResource(entry: JsonObject): Resource | string {
  const resource = toWellFormedResource(entry);
  return typeof resource['name'] === 'string' ? (resource as unknown as Resource) : 'name must be a string';
}

export function readResourceTemplate(entry: JsonObject): ResourceTemplate | string {
  const template = toWellFormedResource(entry);
  return typeof template['name'] === 'string'
    ? (template as unknown as ResourceTemplate)
    : 'name must be a string';
}
