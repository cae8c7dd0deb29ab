import { matchesAny, type LiveCatalog } from '../catalog/index.js';

/** Which toolsets a tool is in. */
export interface ToolsetIndex {
  of(connector: string, tool: string): readonly string[];
  all(): Readonly<Record<string, readonly string[]>>;
  configure(toolsets: Readonly<Record<string, readonly string[]>>): void;
}

const NONE: readonly string[] = [];

/** Toolsets name tools as agents see them, policies as upstreams do; this knows both. */
export function createToolsetIndex(catalog: LiveCatalog): ToolsetIndex {
  let toolsets: Readonly<Record<string, readonly string[]>> = {};
  let built: { readonly version: number; readonly index: ReadonlyMap<string, readonly string[]> } | undefined;

  function build(): ReadonlyMap<string, readonly string[]> {
    const named = Object.entries(toolsets);
    return new Map(
      catalog
        .entries()
        .flatMap(({ connector, snapshot }) =>
          snapshot.names.tools.map(
            ([tool, exposed]) =>
              [
                `${connector.id}\n${tool}`,
                named.filter(([, patterns]) => matchesAny(patterns, exposed)).map(([name]) => name),
              ] as const,
          ),
        ),
    );
  }

  return {
    of(connector, tool) {
      if (Object.keys(toolsets).length === 0) return NONE;
      if (built?.version !== catalog.version) built = { version: catalog.version, index: build() };
      return built.index.get(`${connector}\n${tool}`) ?? NONE;
    },
    all: () => toolsets,
    configure(next) {
      toolsets = next;
      built = undefined;
    },
  };
}
