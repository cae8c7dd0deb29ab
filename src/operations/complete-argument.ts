import type { CatalogEntry, Surface } from '../catalog/index.js';
import type { AccessProvider } from '../credentials/index.js';
import type { EventLog, PolicyEngine, PolicyQuestion } from '../governance/index.js';
import { HubError, type CallId } from '../kernel/index.js';
import { isObject, type JsonObject } from '../mcp/jsonrpc/index.js';
import type { Upstreams, UpstreamOptions } from '../upstreams/index.js';
import type { AgentRequest } from './agent-request.js';
import type { BridgeLosses } from './bridge-losses.js';
import { toDenial } from './call-policy.js';
import type { FlowBook } from './flow-book.js';
import type { RateLimits } from './rate-limits.js';
import type { Surfaces } from './surfaces.js';
import { fetchFrom, recordRefusedOffer } from './use-offer.js';

export interface CompletionQuery extends AgentRequest {
  readonly callId: CallId;
  readonly params: JsonObject;
  readonly options: UpstreamOptions;
}

export interface CompleteArgumentDependencies {
  readonly surfaces: Surfaces;
  readonly policy: Pick<PolicyEngine, 'decide'>;
  readonly flows: Pick<FlowBook, 'seenBy' | 'note'>;
  readonly events: EventLog;
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
  return async function completeArgument(query) {
    const { agent, scope, session, asks, params, options, watch } = query;
    const owned = findOwner(deps.surfaces.surfaceFor(agent, scope), params['ref']);
    const { entry, ref } = owned;
    if (entry.snapshot.upstream.capabilities.completions === undefined) return NOTHING;
    await deps.rates.require(agent.id);
    const looking = deps.flows.seenBy({ agent, session });
    if (looking !== undefined) await requireFlow(deps, query, owned, await looking);
    const { connector } = entry;
    const caller = { agent, scope, session, asks, watch };
    const request = { ...caller, method: 'completion/complete', target: '', connector, options };
    return bounded(
      await fetchFrom(deps, request, (upstream) => upstream.complete({ ...params, ref }, options)),
    );
  };
}

/**
 * What is typed reaches the upstream and what it suggests comes back, as when the prompt or resource is used. Other
 * conditions are for its use: whoever still fills in arguments cannot meet those on arguments.
 */
async function requireFlow(
  { policy, flows, events }: CompleteArgumentDependencies,
  { agent, session, callId }: CompletionQuery,
  { entry: { connector }, use, exposedName }: Owned,
  seen: readonly string[],
): Promise<void> {
  const decision = policy.decide({ ...use, agent, connector, seen });
  if (decision.isFlow === true || decision.isPartlyFlow === true) {
    const denial = toDenial({ ...decision, isFlow: true }, 'this');
    const asked = { agent, callId, method: 'completion/complete', exposedName };
    recordRefusedOffer(events, asked, denial, { connector: connector.id, policies: decision.policies });
    throw denial;
  }
  await flows.note({ agent, session }, { connector }, seen);
}

/** Clients refuse an answer with more than the protocol allows as a whole. */
function bounded(result: JsonObject): JsonObject {
  const { completion } = result;
  const values = isObject(completion) ? completion['values'] : undefined;
  if (!isObject(completion) || !Array.isArray(values) || values.length <= MOST_VALUES) return result;
  return { ...result, completion: { ...completion, values: values.slice(0, MOST_VALUES), hasMore: true } };
}

/** Whose the prompt or template is, and what using it would be. */
interface Owned {
  readonly entry: CatalogEntry;
  readonly ref: JsonObject;
  readonly use: Pick<PolicyQuestion, 'action' | 'target'>;
  readonly exposedName: string;
}

function findOwner(surface: Surface, ref: unknown): Owned {
  if (isObject(ref) && ref['type'] === 'ref/prompt' && typeof ref['name'] === 'string') {
    const entry = surface.findPrompt(ref['name']);
    if (entry === undefined) throw new HubError('unknown_prompt', 'Unknown prompt');
    const { name } = entry.prompt;
    const use = { action: 'get', target: { kind: 'prompt', name } } as const;
    return { entry, ref: { ...ref, name }, use, exposedName: ref['name'] };
  }
  if (isObject(ref) && ref['type'] === 'ref/resource' && typeof ref['uri'] === 'string') {
    const owner = surface.findResourceOwner(ref['uri']);
    if (owner === undefined)
      throw new HubError('unknown_resource', 'Resource not found', { details: { uri: ref['uri'] } });
    const { uri } = owner;
    const use = { action: 'read', target: { kind: 'resource', uri } } as const;
    return { entry: owner, ref: { ...ref, uri }, use, exposedName: ref['uri'] };
  }
  throw new HubError('invalid_request', 'ref must name a prompt or a resource');
}
