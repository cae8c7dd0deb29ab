import { isObject, type Json, type JsonObject } from '../jsonrpc/index.js';
import type { InputRequest } from '../model/index.js';

/** An accepted form with the `default` of every field that was left out. Everything else comes back untouched. */
export function withFormDefaults(request: InputRequest, answer: JsonObject): JsonObject {
  const { params } = request;
  if (request.method !== 'elicitation/create' || answer['action'] !== 'accept' || params?.['mode'] === 'url')
    return answer;
  const schema = params?.['requestedSchema'];
  const properties = isObject(schema) ? schema['properties'] : undefined;
  if (!isObject(properties)) return answer;
  const given = answer['content'];
  if (given !== undefined && !isObject(given)) return answer;
  const content: Record<string, Json | undefined> = { ...given };
  for (const [name, field] of Object.entries(properties)) {
    const isGiven = Object.hasOwn(content, name) && content[name] !== undefined;
    if (!isGiven && isObject(field) && field['default'] !== undefined) content[name] = field['default'];
  }
  return { ...answer, content };
}
