import { isObject, type JsonObject } from '../jsonrpc/index.js';
import type { Tool } from '../model/index.js';
import { readParamHeaders, writeParamHeaders, type ParamHeader } from '../wire/index.js';
import type { KnownSchema } from './options.js';

/** Which arguments of which tool also travel as headers, as the latest list says. */
export class ToolHeaders {
  readonly #known: KnownSchema | undefined;
  readonly #bySchema = new WeakMap<JsonObject, readonly ParamHeader[]>();
  #byName: ReadonlyMap<string, readonly ParamHeader[]> | undefined;

  constructor(known: KnownSchema | undefined) {
    this.#known = known;
  }

  /** Why a tool cannot be used over HTTP, if so. */
  static reject(tool: Tool): string | undefined {
    const headers = readParamHeaders(tool.inputSchema);
    return headers.valid ? undefined : headers.reason;
  }

  learn(tools: readonly Tool[]): void {
    const byName = new Map<string, readonly ParamHeader[]>();
    for (const { name, inputSchema } of tools) {
      const headers = read(inputSchema);
      if (headers.length > 0) byName.set(name, headers);
    }
    this.#byName = byName;
  }

  /** The headers of a `tools/call` with those of its arguments. */
  addTo(headers: Readonly<Record<string, string>>, params: JsonObject): Readonly<Record<string, string>> {
    const { name, arguments: args } = params;
    const annotated = typeof name === 'string' ? this.#find(name) : undefined;
    if (annotated === undefined || annotated.length === 0) return headers;
    return { ...headers, ...writeParamHeaders(annotated, isObject(args) ? args : undefined) };
  }

  #find(name: string): readonly ParamHeader[] | undefined {
    if (this.#byName !== undefined) return this.#byName.get(name);
    const schema = this.#known?.(name);
    if (schema === undefined) return undefined;
    let headers = this.#bySchema.get(schema);
    if (headers === undefined) this.#bySchema.set(schema, (headers = read(schema)));
    return headers;
  }
}

function read(schema: JsonObject): readonly ParamHeader[] {
  const headers = readParamHeaders(schema);
  return headers.valid ? headers.params : [];
}
