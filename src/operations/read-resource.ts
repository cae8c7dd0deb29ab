import { HubError, isHubError } from '../kernel/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';
import type { UpstreamRequest } from './agent-request.js';
import { askByRounds } from './rounds.js';
import type { Surfaces } from './surfaces.js';
import { fetchFrom, recordRefusedOffer, useOffer, type UseOfferDependencies } from './use-offer.js';

export interface ResourceRequest extends UpstreamRequest {
  readonly uri: string;
}

export type ReadResource = (request: ResourceRequest) => Promise<JsonObject>;

export function createReadResource(
  deps: UseOfferDependencies & { readonly surfaces: Surfaces },
): ReadResource {
  return async function readResource(request) {
    const owner = deps.surfaces.surfaceFor(request.agent, request.scope).findResourceOwner(request.uri);
    if (owner === undefined) {
      const unknown = notFound(request.uri);
      recordRefusedOffer(
        deps.events,
        { ...request, exposedName: request.uri, method: 'resources/read' },
        unknown,
      );
      throw unknown;
    }
    const use = {
      ...request,
      entry: owner,
      method: 'resources/read',
      target: owner.uri,
      exposedName: request.uri,
      args: undefined,
    } as const;
    const { rounds } = request;
    const { connector, uri } = owner;
    const result = await useOffer(deps, use, async (line) => {
      try {
        return await fetchFrom(deps, { ...use, connector, options: line }, (upstream, options) =>
          rounds === undefined
            ? upstream.readResource(uri, options)
            : askByRounds(upstream, 'resources/read', { uri }, options, rounds),
        );
      } catch (error) {
        throw isHubError(error, 'upstream_rejected') && error.details?.['missing'] === true
          ? notFound(request.uri, error)
          : error;
      }
    });
    return owner.uri === request.uri ? result : renamed(result, owner.uri, request.uri);
  };
}

/** Under the address the agent knows. */
function notFound(uri: string, cause?: Error): HubError {
  return new HubError('unknown_resource', 'Resource not found', {
    ...(cause && { cause }),
    details: { uri },
  });
}

/** Contents come back under the address that was asked for. */
function renamed(result: JsonObject, from: string, to: string): JsonObject {
  const contents = Array.isArray(result['contents']) ? (result['contents'] as readonly JsonObject[]) : [];
  return {
    ...result,
    contents: contents.map((content) => (content['uri'] === from ? { ...content, uri: to } : content)),
  };
}
