import { isObject, type JsonObject } from '../mcp/jsonrpc/index.js';
import type { ClientCapabilities } from '../mcp/model/index.js';
import type { McpRequest } from '../mcp/server/index.js';
import type { AskProfile, UpstreamOptions } from '../upstreams/index.js';
import { askLive } from './client-questions.js';

/**
 * What an upstream is to know of the request it serves. A class with methods: an object literal with a getter gets a
 * hidden class of its own each time, and V8 puts functions that are written as values of properties among the old
 * objects at once. Through either the whole request would outlive many collections.
 */
export class RequestOptions implements UpstreamOptions {
  readonly onProgress: UpstreamOptions['onProgress'];
  readonly onLog: UpstreamOptions['onLog'];
  readonly logLevel: UpstreamOptions['logLevel'];
  readonly meta: JsonObject | undefined;
  readonly caller: string;
  readonly withoutTasks: boolean;
  readonly #request: McpRequest;

  constructor(request: McpRequest, withoutTasks: boolean) {
    const { _meta: meta } = request.params;
    this.#request = request;
    this.onProgress = request.wantsProgress ? (progress) => request.progress(progress) : undefined;
    this.onLog = request.logLevel === undefined ? undefined : (message) => request.log(message);
    this.logLevel = request.logLevel;
    this.meta = isObject(meta) ? meta : undefined;
    this.caller = request.principal;
    this.withoutTasks = withoutTasks;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  onAbort(listener: (reason?: string) => void): void {
    this.#request.onAbort(listener);
  }
}

/**
 * The same for callers that can be asked, or can do more than the protocol knows: these options are taken apart and put
 * together again on the way.
 */
export function optionsOf(
  request: McpRequest,
  asks: AskProfile | undefined,
  beyond?: ClientCapabilities,
  withoutTasks = false,
): UpstreamOptions {
  const { _meta: meta } = request.params;
  return {
    get signal() {
      return request.signal;
    },
    onAbort: (listener) => request.onAbort(listener),
    caller: request.principal,
    ...(request.wantsProgress && { onProgress: (progress) => request.progress(progress) }),
    ...(request.logLevel !== undefined && {
      logLevel: request.logLevel,
      onLog: (message) => request.log(message),
    }),
    ...(isObject(meta) && { meta }),
    ...(withoutTasks && { withoutTasks }),
    ...(asks !== undefined &&
      request.asksLive && {
        ask: askLive(request),
        capabilities: asks.capabilities,
        onVisited: (id: string) => request.tellVisited(id),
      }),
    ...(beyond !== undefined && { capabilities: { ...asks?.capabilities, ...beyond } }),
  };
}
