import type { Agent } from '../agents/index.js';
import type { SurfaceScope } from '../catalog/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';
import type { ServerOptions } from '../mcp/server/index.js';
import { readParamHeaders, type ParamHeader } from '../mcp/wire/index.js';
import type { Surfaces } from '../operations/index.js';

type ReadParams = NonNullable<ServerOptions['paramHeaders']>;

/** Which arguments clients repeat in headers, where the schemas they were shown say so: on a connector's own endpoint. */
export function toolParamHeaders(
  surfaces: Surfaces,
  scope: SurfaceScope,
  agentOf: (principal: string) => Agent,
): ReadParams | undefined {
  if (scope.kind !== 'connector') return undefined;
  const known = new WeakMap<JsonObject, readonly ParamHeader[]>();
  return (name, principal) => {
    const schema = surfaces.surfaceFor(agentOf(principal), scope).findTool(name)?.tool.inputSchema;
    if (schema === undefined) return undefined;
    let params = known.get(schema);
    if (params === undefined) {
      const read = readParamHeaders(schema);
      known.set(schema, (params = read.valid ? read.params : []));
    }
    return params;
  };
}
