import type { JsonObject } from '../mcp/jsonrpc/index.js';
import type { Tool } from '../mcp/model/index.js';

export interface NamedTool {
  readonly name: string;
  readonly source: string;
  readonly tool: Tool;
}

type Parameters = JsonObject & { readonly type: 'object' };

/** The same tools in the shapes that model providers and libraries want, whose types know no readonly lists. */
export interface Definitions {
  readonly openai: {
    readonly type: 'function';
    readonly function: {
      readonly name: string;
      readonly description: string;
      readonly parameters: Parameters;
    };
  }[];
  readonly anthropic: {
    readonly name: string;
    readonly description: string;
    readonly input_schema: Parameters;
  }[];
  /** By name; wrap `inputSchema` with the AI SDK's `jsonSchema()`. */
  readonly aiSdk: Readonly<
    Record<string, { readonly description: string; readonly inputSchema: Parameters }>
  >;
  readonly mcp: readonly Tool[];
}

export function toDefinitions(tools: readonly NamedTool[]): Definitions {
  return {
    openai: tools.map(({ name, tool }) => ({
      type: 'function',
      function: { name, description: describe(tool), parameters: toParameters(tool) },
    })),
    anthropic: tools.map(({ name, tool }) => ({
      name,
      description: describe(tool),
      input_schema: toParameters(tool),
    })),
    aiSdk: Object.fromEntries(
      tools.map(({ name, tool }) => [name, { description: describe(tool), inputSchema: toParameters(tool) }]),
    ),
    mcp: tools.map(({ name, tool }) => ({ ...tool, name })),
  };
}

function describe({ description, title, name }: Tool): string {
  return description ?? title ?? name;
}

/** Providers refuse an object schema without properties. */
function toParameters({ inputSchema }: Tool): Parameters {
  return { ...inputSchema, type: 'object', properties: inputSchema['properties'] ?? {} };
}
