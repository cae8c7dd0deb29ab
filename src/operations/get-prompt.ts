import type { PromptEntry } from '../catalog/index.js';
import type { OperatorPrompt } from '../connectors/index.js';
import { HubError } from '../kernel/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';
import type { UpstreamRequest } from './agent-request.js';
import { askByRounds } from './rounds.js';
import type { Surfaces } from './surfaces.js';
import { fetchFrom, recordRefusedOffer, useOffer, type UseOfferDependencies } from './use-offer.js';

export interface PromptRequest extends UpstreamRequest {
  readonly exposedName: string;
  readonly args: JsonObject | undefined;
}

export type GetPrompt = (request: PromptRequest) => Promise<JsonObject>;

/** A prompt of an upstream, or one the operator wrote for it. */
export function createGetPrompt(deps: UseOfferDependencies & { readonly surfaces: Surfaces }): GetPrompt {
  return async function getPrompt(request) {
    const entry = deps.surfaces.surfaceFor(request.agent, request.scope).findPrompt(request.exposedName);
    if (entry === undefined) {
      const unknown = new HubError('unknown_prompt', 'Unknown prompt');
      recordRefusedOffer(deps.events, { ...request, method: 'prompts/get' }, unknown);
      throw unknown;
    }
    const { written, connector, prompt } = entry;
    const { args, rounds } = request;
    const params = { name: prompt.name, ...(args !== undefined && { arguments: args }) };
    const use = { ...request, ...describe(entry) };
    return useOffer(deps, use, (line) =>
      written === undefined
        ? fetchFrom(deps, { ...use, connector, options: line }, (upstream, options) =>
            rounds === undefined
              ? upstream.getPrompt(prompt.name, args, options)
              : askByRounds(upstream, 'prompts/get', params, options, rounds),
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
    ({ name, required }) => required === true && !Object.hasOwn(args, name),
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
