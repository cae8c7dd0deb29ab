import { inSlices, once } from '../kernel/index.js';
import { isObject } from '../mcp/jsonrpc/index.js';
import {
  supportsTasks,
  TASKS_EXTENSION,
  taskSupportOf,
  withoutParamHeaders,
  type Tool,
} from '../mcp/model/index.js';
import type { Snapshot } from './snapshot.js';
import type { CatalogEntry, Permits, SurfaceScope, ToolEntry } from './surface.js';
import { matchesAny } from './tool-pattern.js';
import { withUsageGuide } from './usage-guide.js';

/** The tools of a surface. Whether one is seen, and how it looks there, is found out when it is asked for. */
export class ShownTools {
  readonly #scope: SurfaceScope;
  readonly #permits: Permits;
  readonly #entries: () => readonly ToolEntry[];
  readonly #byName = once(() => new Map(this.#entries().map((entry) => [entry.exposedName, entry])));
  readonly #permitted = new Map<ToolEntry, boolean>();
  readonly #shown: Tool[] = [];
  #looked = 0;
  #preparing: Promise<void> | undefined;

  constructor(entries: readonly CatalogEntry[], scope: SurfaceScope, permits: Permits) {
    this.#scope = scope;
    this.#permits = permits;
    this.#entries = once(() => entries.flatMap((entry) => toolEntries(entry, scope)));
  }

  find(exposedName: string): ToolEntry | undefined {
    return this.#ifPermitted(this.#byName().get(exposedName));
  }

  findOf(connector: string, name: string): ToolEntry | undefined {
    return this.#ifPermitted(
      this.#entries().find((entry) => entry.connector.id === connector && entry.tool.name === name),
    );
  }

  hasAny(): boolean {
    return this.#entries().some((entry) => this.#ifPermitted(entry) !== undefined);
  }

  all(): readonly Tool[] {
    while (this.#looked < this.#entries().length) this.#lookAtNext();
    return this.#shown;
  }

  /** The same in slices; undefined if there is nothing left to look at. */
  prepare(): Promise<void> | undefined {
    if (this.#looked === this.#entries().length) return undefined;
    this.#preparing ??= inSlices(this.#entries(), () => this.#lookAtNext()).finally(() => {
      this.#preparing = undefined;
    });
    return this.#preparing;
  }

  /** Somebody else may have looked at the rest at once. */
  #lookAtNext(): void {
    const entry = this.#entries()[this.#looked];
    if (entry === undefined) return;
    this.#looked++;
    if (this.#ifPermitted(entry) !== undefined) this.#shown.push(exposeTool(entry, this.#scope));
  }

  #ifPermitted(entry: ToolEntry | undefined): ToolEntry | undefined {
    if (entry === undefined) return undefined;
    let isPermitted = this.#permitted.get(entry);
    if (isPermitted === undefined)
      this.#permitted.set(entry, (isPermitted = this.#permits.tool(entry, entry.tool)));
    return isPermitted ? entry : undefined;
  }
}

function toolEntries(entry: CatalogEntry, scope: SurfaceScope): ToolEntry[] {
  const names = new Map(entry.snapshot.names.tools);
  const all = entry.snapshot.tools.map((tool) => ({
    ...entry,
    tool,
    exposedName: scope.kind === 'connector' ? tool.name : (names.get(tool.name) ?? tool.name),
  }));
  return scope.kind === 'toolset'
    ? all.filter(({ exposedName }) => matchesAny(scope.tools, exposedName))
    : all;
}

/**
 * On a connector's own endpoint the definition is the upstream's; elsewhere the name is ours, and header annotations go,
 * which browsers cannot honour. What the operator wrote about a tool stands with it everywhere.
 */
export function exposeTool({ tool, exposedName, connector, snapshot }: ToolEntry, scope: SurfaceScope): Tool {
  const guided = withTaskSupport(withUsageGuide(tool, connector.prompts), snapshot);
  if (scope.kind === 'connector') return guided;
  return { ...guided, name: exposedName, inputSchema: withoutParamHeaders(tool.inputSchema) };
}

/** Where calls can become tasks, they can be asked for as such; nobody has to, because we wait for the end ourselves. */
function withTaskSupport(tool: Tool, { upstream }: Snapshot): Tool {
  const { capabilities } = upstream;
  const decidesItself = capabilities.extensions?.[TASKS_EXTENSION] !== undefined;
  const isPossible = supportsTasks(capabilities) && (decidesItself || taskSupportOf(tool) !== 'forbidden');
  if (!isPossible) return tool;
  const { execution } = tool;
  return { ...tool, execution: { ...(isObject(execution) && execution), taskSupport: 'optional' } };
}
