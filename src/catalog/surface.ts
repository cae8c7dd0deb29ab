import type { Connector, OperatorPrompt } from '../connectors/index.js';
import { once } from '../kernel/index.js';
import type { Prompt, Resource, ResourceTemplate, Tool } from '../mcp/model/index.js';
import { assignNames, aggregateRule } from './exposed-names.js';
import { createResourceRouter, type ResourceOwner } from './resource-router.js';
import { ShownTools } from './shown-tools.js';
import type { Snapshot } from './snapshot.js';
import { toOfferedPrompt } from './usage-guide.js';

/** A connector with what it offered last. */
export interface CatalogEntry {
  readonly connector: Connector;
  readonly snapshot: Snapshot;
}

/** Which part of the catalogue an endpoint shows. The tools of a toolset may be others when they are asked for again. */
export type SurfaceScope =
  | { readonly kind: 'all' }
  | { readonly kind: 'connector'; readonly connector: string }
  | { readonly kind: 'toolset'; readonly name: string; readonly tools: readonly string[] };

export interface ToolEntry extends CatalogEntry {
  readonly tool: Tool;
  readonly exposedName: string;
}
export interface PromptEntry extends CatalogEntry {
  readonly prompt: Prompt;
  readonly exposedName: string;
  /** Set when the operator wrote it and the upstream knows nothing of it. */
  readonly written: OperatorPrompt | undefined;
}

/**
 * What one agent sees at one endpoint, and the way back from every name to its owner. Each of it is found out when it is
 * first asked for: whoever calls a tool does not wait until thousands of others are decided on.
 */
export interface Surface {
  readonly entries: readonly CatalogEntry[];
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  /** Whether something is offered here, and the agent sees none of it. */
  readonly isHidden: boolean;
  /** Finds out in slices what `tools` would find out at once; undefined if nothing is left to do. */
  prepareTools(): Promise<void> | undefined;
  findTool(exposedName: string): ToolEntry | undefined;
  /** By the names it has where it comes from. */
  findToolOf(connector: string, name: string): ToolEntry | undefined;
  findPrompt(exposedName: string): PromptEntry | undefined;
  findResourceOwner(uri: string): ResourceOwner | undefined;
}

export interface Permits {
  tool(entry: CatalogEntry, tool: Tool): boolean;
  prompt(entry: CatalogEntry, prompt: Prompt): boolean;
  resource(entry: CatalogEntry, uri: string): boolean;
}

const OFFERS = ['tools', 'prompts', 'resources', 'templates'] as const;

/** `entries` in the order in which lists are to come. */
export function buildSurface(
  entries: readonly CatalogEntry[],
  scope: SurfaceScope,
  permits: Permits,
): Surface {
  const shown = entries.filter(
    ({ connector }) => scope.kind !== 'connector' || connector.id === scope.connector,
  );
  const inToolset = scope.kind === 'toolset';
  const tools = new ShownTools(shown, scope, permits);
  const prompts = once(() =>
    inToolset
      ? []
      : shown
          .flatMap((entry) => promptEntries(entry, scope, tools))
          .filter((entry) => permits.prompt(entry, entry.prompt)),
  );
  const exposedPrompts = once(() =>
    prompts().map(({ prompt, exposedName }) => ({ ...prompt, name: exposedName })),
  );
  const promptsByName = once(() => new Map(prompts().map((entry) => [entry.exposedName, entry])));
  const router = once(() =>
    createResourceRouter(inToolset ? [] : shown, permits, scope.kind === 'connector'),
  );
  const isHidden = once(
    () =>
      shown.some(({ snapshot }) => OFFERS.some((kind) => snapshot[kind].length > 0)) &&
      !tools.hasAny() &&
      [prompts(), router().resources, router().templates].every((seen) => seen.length === 0),
  );
  return {
    entries: shown,
    get isHidden() {
      return isHidden();
    },
    get tools() {
      return tools.all();
    },
    get prompts() {
      return exposedPrompts();
    },
    get resources() {
      return router().resources;
    },
    get templates() {
      return router().templates;
    },
    prepareTools: () => tools.prepare(),
    findTool: (name) => tools.find(name),
    findToolOf: (connector, name) => tools.findOf(connector, name),
    findPrompt: (name) => promptsByName().get(name),
    findResourceOwner: (uri) => router().ownerOf(uri),
  };
}

function promptEntries(entry: CatalogEntry, scope: SurfaceScope, tools: ShownTools): PromptEntry[] {
  const { connector, snapshot } = entry;
  const names = new Map(snapshot.names.prompts);
  const offered = snapshot.prompts.map((prompt) => ({
    ...entry,
    prompt,
    written: undefined,
    exposedName: names.get(prompt.name) ?? prompt.name,
  }));
  const known = new Set(snapshot.prompts.map(({ name }) => name));
  const written = connector.prompts.filter(({ name }) => !known.has(name));
  const writtenNames = new Map(
    assignNames(
      aggregateRule(connector.id),
      [...known, ...written.map(({ name }) => name)],
      snapshot.names.prompts,
    ),
  );
  const all: PromptEntry[] = [
    ...offered,
    ...written.map((prompt) => ({
      ...entry,
      prompt: toOfferedPrompt(prompt, (tool) => tools.findOf(connector.id, tool)?.exposedName),
      written: prompt,
      exposedName: writtenNames.get(prompt.name) ?? prompt.name,
    })),
  ];
  return scope.kind === 'connector'
    ? all.map((prompt) => ({ ...prompt, exposedName: prompt.prompt.name }))
    : all;
}
