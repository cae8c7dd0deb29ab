import type { JsonObject } from '../jsonrpc/index.js';
import { rewriteSchema } from './schema-keywords.js';

/** Keyword of an input schema: the argument that it stands on is also sent as the header it names. */
export const PARAM_HEADER = 'x-mcp-header';

/** An input schema for those who cannot send the headers, or need not. It is the same object where there are none, as usual. */
export function withoutParamHeaders(inputSchema: JsonObject): JsonObject {
  if (!JSON.stringify(inputSchema).includes(`"${PARAM_HEADER}"`)) return inputSchema;
  return rewriteSchema(inputSchema, (schema) => {
    const { [PARAM_HEADER]: _, ...rest } = schema;
    return rest;
  }) as JsonObject;
}
