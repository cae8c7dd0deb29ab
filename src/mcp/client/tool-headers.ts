import { isObject, type JsonObject } from '../jsonrpc/index.js';
import type { Tool } from '../model/index.js';
import { readParamHeaders, writeParamHeaders, type ParamHeader } from '../wire/index.js';

/** Which arguments of which tool also travel as headers, as the latest list says. */
export class ToolHeaders {
  readonly #byName = new Map<string, readonly ParamHeader[]>();

  /** Why a tool cannot be used over HTTP, if so. */
  static reject(tool: Tool): string | undefined {
    const headers = readParamHeaders(tool.inputSchema);
    return headers.valid ? undefined : headers.reason;
  }

  learn(tools: readonly Tool[]): void {
    this.#byName.clear();
    for (const tool of tools) {
      const headers = readParamHeaders(tool.inputSchema);
      if (headers.valid && headers.params.length > 0) this.#byName.set(tool.name, headers.params);
    }
  }

  /** The headers of a `tools/call` with those of its arguments. */
  addTo(headers: Readonly<Record<string, string>>, params: JsonObject): Readonly<Record<string, string>> {
    const { name, arguments: args } = params;
    const known = typeof name === 'string' ? this.#byName.get(name) : undefined;
    if (known === undefined) return headers;
    return { ...headers, ...writeParamHeaders(known, isObject(args) ? args : undefined) };
  }
}
