import type { Connector, OperatorPrompt } from '../connectors/index.js';
import { isObject } from '../mcp/jsonrpc/index.js';
import {
  supportsTasks,
  TASKS_EXTENSION,
  taskSupportOf,
  withoutParamHeaders,
  type Prompt,
  type Resource,
  type ResourceTemplate,
  type Tool,
} from '../mcp/model/index.js';
import { assignNames, aggregateRule } from './exposed-names.js';
import { createResourceRouter, type ResourceOwner } from './resource-router.js';
import type { Snapshot } from './snapshot.js';
import { matchesAny } from './tool-pattern.js';
import { toOfferedPrompt, withUsageGuide } from './usage-guide.js';

/** A connector with what it offered last. */
export interface CatalogEntry {
  readonly connector: Connector;
  readonly snapshot: Snapshot;
}

/** Which part of the catalogue an endpoint shows. */
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

/** What one agent sees at one endpoint, and the way back from every name to its owner. Immutable. */
export interface Surface {
  readonly entries: readonly CatalogEntry[];
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
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

/** `entries` in the order in which lists are to come. */
export function buildSurface(
  entries: readonly CatalogEntry[],
  scope: SurfaceScope,
  permits: Permits,
): Surface {
  const shown = entries.filter(
    ({ connector }) => scope.kind !== 'connector' || connector.id === scope.connector,
  );
  const tools = shown
    .flatMap((entry) => toolEntries(entry, scope))
    .filter((entry) => permits.tool(entry, entry.tool));
  const inToolset = scope.kind === 'toolset';
  const prompts = inToolset
    ? []
    : shown
        .flatMap((entry) => promptEntries(entry, scope))
        .filter((entry) => permits.prompt(entry, entry.prompt));
  const router = createResourceRouter(inToolset ? [] : shown, permits, scope.kind === 'connector');
  const toolsByName = new Map(tools.map((entry) => [entry.exposedName, entry]));
  const promptsByName = new Map(prompts.map((entry) => [entry.exposedName, entry]));
  return {
    entries: shown,
    tools: tools.map((entry) => exposeTool(entry, scope)),
    prompts: prompts.map(({ prompt, exposedName }) => ({ ...prompt, name: exposedName })),
    resources: router.resources,
    templates: router.templates,
    findTool: (name) => toolsByName.get(name),
    findToolOf: (connector, name) =>
      tools.find((entry) => entry.connector.id === connector && entry.tool.name === name),
    findPrompt: (name) => promptsByName.get(name),
    findResourceOwner: (uri) => router.ownerOf(uri),
  };
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
function exposeTool({ tool, exposedName, connector, snapshot }: ToolEntry, scope: SurfaceScope): Tool {
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

function promptEntries(entry: CatalogEntry, scope: SurfaceScope): PromptEntry[] {
  const { connector, snapshot } = entry;
  const names = new Map(snapshot.names.prompts);
  const toolNames = new Map(scope.kind === 'connector' ? [] : snapshot.names.tools);
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
      prompt: toOfferedPrompt(prompt, (tool) => toolNames.get(tool) ?? tool),
      written: prompt,
      exposedName: writtenNames.get(prompt.name) ?? prompt.name,
    })),
  ];
  return scope.kind === 'connector'
    ? all.map((prompt) => ({ ...prompt, exposedName: prompt.prompt.name }))
    : all;
}
