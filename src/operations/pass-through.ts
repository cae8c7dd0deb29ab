import { HubError } from '../kernel/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';
import type { UpstreamRequest } from './agent-request.js';
import type { RateLimits } from './rate-limits.js';
import type { Surfaces } from './surfaces.js';
import { fetchFrom, recordRefusedOffer, useOffer, type UseOfferDependencies } from './use-offer.js';

/** A request whose method the hub knows nothing of. */
export interface ForeignRequest extends Omit<UpstreamRequest, 'rounds'> {
  readonly method: string;
  /** Without `_meta`, which is in the options. */
  readonly params: JsonObject;
}

export type PassThrough = (request: ForeignRequest) => Promise<JsonObject>;

export interface PassThroughDependencies extends UseOfferDependencies {
  readonly surfaces: Surfaces;
  readonly rates: RateLimits;
}

/**
 * Hands a method of an extension to the one connector that an endpoint stands for, and its answer back, both as they
 * are. What it does nobody here knows, so policies decide about it as about a destructive tool of that name.
 */
export function createPassThrough(deps: PassThroughDependencies): PassThrough {
  return async function passThrough(request) {
    const { agent, scope, method, params } = request;
    const [entry] = deps.surfaces.surfaceFor(agent, scope).entries;
    const names = { target: method.slice(0, 200), exposedName: method };
    try {
      if (entry === undefined) throw new HubError('not_supported', 'Nobody is there to answer this method');
      await deps.rates.require(agent.id, `${entry.connector.id}\n${method}`);
    } catch (error) {
      if (error instanceof HubError) recordRefusedOffer(deps.events, { ...request, ...names }, error);
      throw error;
    }
    const { connector } = entry;
    return useOffer(deps, { ...request, ...names, entry, args: params }, (options) =>
      fetchFrom(
        deps,
        { ...request, ...names, connector, options, isRepeatable: false },
        (upstream, relayed) => upstream.request(method, params, relayed),
      ),
    );
  };
}
