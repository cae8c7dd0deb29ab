import type { CatalogEntry, Surface } from '../catalog/index.js';
import type { AccessProvider } from '../credentials/index.js';
import { HubError } from '../kernel/index.js';
import { isObject, type JsonObject } from '../mcp/jsonrpc/index.js';
import type { Upstreams, UpstreamOptions } from '../upstreams/index.js';
import type { AgentRequest } from './agent-request.js';
import type { BridgeLosses } from './bridge-losses.js';
import type { RateLimits } from './rate-limits.js';
import type { Surfaces } from './surfaces.js';
import { fetchFrom } from './use-offer.js';

export interface CompletionQuery extends AgentRequest {
  readonly params: JsonObject;
  readonly options: UpstreamOptions;
}

export interface CompleteArgumentDependencies {
  readonly surfaces: Surfaces;
  readonly credentials: AccessProvider;
  readonly upstreams: Upstreams;
  readonly losses: BridgeLosses;
  readonly rates: RateLimits;
}

export type CompleteArgument = (query: CompletionQuery) => Promise<JsonObject>;

const NOTHING: JsonObject = { completion: { values: [] } };
const MOST_VALUES = 100;

/** Suggestions of the upstream that owns the prompt or template. One that cannot complete suggests nothing. */
export function createCompleteArgument(deps: CompleteArgumentDependencies): CompleteArgument {
  return async function completeArgument({ agent, scope, session, asks, params, options, watch }) {
    const { entry, ref } = findOwner(deps.surfaces.surfaceFor(agent, scope), params['ref']);
    if (entry.snapshot.upstream.capabilities.completions === undefined) return NOTHING;
    await deps.rates.require(agent.id);
    const { connector } = entry;
    const caller = { agent, scope, session, asks, watch };
    const request = { ...caller, method: 'completion/complete', target: '', connector, options };
    return bounded(
      await fetchFrom(deps, request, (upstream) => upstream.complete({ ...params, ref }, options)),
    );
  };
}

/** Clients refuse an answer with more than the protocol allows as a whole. */
function bounded(result: JsonObject): JsonObject {
  const { completion } = result;
  const values = isObject(completion) ? completion['values'] : undefined;
  if (!isObject(completion) || !Array.isArray(values) || values.length <= MOST_VALUES) return result;
  return { ...result, completion: { ...completion, values: values.slice(0, MOST_VALUES), hasMore: true } };
}

function findOwner(surface: Surface, ref: unknown): { entry: CatalogEntry; ref: JsonObject } {
  if (isObject(ref) && ref['type'] === 'ref/prompt' && typeof ref['name'] === 'string') {
    const entry = surface.findPrompt(ref['name']);
    if (entry === undefined) throw new HubError('unknown_prompt', 'Unknown prompt');
    return { entry, ref: { ...ref, name: entry.prompt.name } };
  }
  if (isObject(ref) && ref['type'] === 'ref/resource' && typeof ref['uri'] === 'string') {
    const owner = surface.findResourceOwner(ref['uri']);
    if (owner === undefined)
      throw new HubError('unknown_resource', 'Resource not found', { details: { uri: ref['uri'] } });
    return { entry: owner, ref: { ...ref, uri: owner.uri } };
  }
  throw new HubError('invalid_request', 'ref must name a prompt or a resource');
}
