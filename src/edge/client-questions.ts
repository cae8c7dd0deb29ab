import { isObject, ProtocolError } from '../mcp/jsonrpc/index.js';
import type { McpRequest } from '../mcp/server/index.js';
import { missingForInput } from '../mcp/wire/index.js';
import type { Rounds } from '../operations/index.js';
import type { AskCaller, AskProfile } from '../upstreams/index.js';

/** Puts questions to a client that can be asked while its request is open. */
export function askLive(request: McpRequest): AskCaller {
  let asked = 0;
  return async (question, signal, onRefused) => {
    if (missingForInput(question, request.client.capabilities) !== undefined) return undefined;
    const key = String(++asked);
    try {
      return (await request.askClient({ [key]: question }, signal, onRefused))[key];
    } catch (error) {
      // It would not answer, or cannot be reached any more.
      if (error instanceof ProtocolError) return undefined;
      throw error;
    }
  };
}

/** For a client that answers by sending its request again. */
export function roundsOf(request: McpRequest, asks: AskProfile): Rounds {
  const { responses = {}, state } = request.resumed ?? {};
  const { capabilities } = request.client;
  return {
    asks,
    accepts: (question) => missingForInput(question, capabilities) === undefined,
    responses,
    state: isObject(state) ? state : undefined,
  };
}
