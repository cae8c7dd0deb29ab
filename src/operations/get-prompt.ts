import type { Agent } from '../agents/index.js';
import type { PromptEntry, SurfaceScope } from '../catalog/index.js';
import type { OperatorPrompt } from '../connectors/index.js';
import { HubError, type CallId } from '../kernel/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';
import type { UpstreamOptions } from '../upstreams/index.js';
import type { Surfaces } from './surfaces.js';
import { fetchFrom, recordRefusal, useOffer, type UseOfferDependencies } from './use-offer.js';

export interface PromptRequest {
  readonly callId: CallId;
  readonly agent: Agent;
  readonly scope: SurfaceScope;
  readonly exposedName: string;
  readonly args: JsonObject | undefined;
  readonly options: UpstreamOptions;
}

export type GetPrompt = (request: PromptRequest) => Promise<JsonObject>;

/** A prompt of an upstream, or one the operator wrote for it. */
export function createGetPrompt(deps: UseOfferDependencies & { readonly surfaces: Surfaces }): GetPrompt {
  return async function getPrompt(request) {
    const entry = deps.surfaces.surfaceFor(request.agent, request.scope).findPrompt(request.exposedName);
    if (entry === undefined) {
      const unknown = new HubError('unknown_prompt', 'Unknown prompt');
      recordRefusal(deps.events, { ...request, method: 'prompts/get' }, unknown);
      throw unknown;
    }
    const { written, connector, prompt } = entry;
    const { agent, args, options } = request;
    return useOffer(deps, { ...request, ...describe(entry) }, () =>
      written === undefined
        ? fetchFrom(deps, { agent, connector, options }, (upstream) =>
            upstream.getPrompt(prompt.name, args, options),
          )
        : fillIn(written, args ?? {}),
    );
  };
}

function describe(entry: PromptEntry) {
  return { entry, method: 'prompts/get', target: entry.prompt.name } as const;
}

/** `{{name}}` stands for an argument. */
function fillIn(prompt: OperatorPrompt, args: JsonObject): JsonObject {
  const missing = prompt.arguments.find(
    ({ name, required }) => required === true && args[name] === undefined,
  );
  if (missing !== undefined)
    throw new HubError('arguments_invalid', `The prompt needs the argument ${missing.name}`);
  const text = prompt.text.replace(/\{\{\s*([\w-]+)\s*\}\}/g, (whole, name: string) => {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    return typeof value === 'string' ? value : whole;
  });
  return {
    ...(prompt.description !== undefined && { description: prompt.description }),
    messages: [{ role: 'user', content: { type: 'text', text } }],
  };
}
