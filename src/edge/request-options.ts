import { isObject, type JsonObject } from '../mcp/jsonrpc/index.js';
import type { McpRequest } from '../mcp/server/index.js';
import type { UpstreamOptions } from '../upstreams/index.js';

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
  readonly withoutTasks: boolean;
  readonly #request: McpRequest;

  constructor(request: McpRequest, withoutTasks: boolean) {
    const { _meta: meta } = request.params;
    this.#request = request;
    this.onProgress = request.wantsProgress ? (progress) => request.progress(progress) : undefined;
    this.onLog = request.logLevel === undefined ? undefined : (message) => request.log(message);
    this.logLevel = request.logLevel;
    this.meta = isObject(meta) ? meta : undefined;
    this.withoutTasks = withoutTasks;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  onAbort(listener: () => void): void {
    this.#request.onAbort(listener);
  }
}
