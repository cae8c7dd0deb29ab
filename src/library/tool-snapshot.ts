import { assignNames, providerRule } from '../catalog/index.js';
import { connect, type McpClient } from '../mcp/client/index.js';
import type { Implementation, Tool } from '../mcp/model/index.js';
import { toDefinitions, type Definitions, type NamedTool } from './definitions.js';

/** A server to take tools from: one to connect to, or a client that is connected already. */
export type ToolSource = { readonly id: string } & (
  | HttpSource
  | StdioSource
  | { readonly client: McpClient }
);

interface SourceSettings {
  readonly era?: 'auto' | 'legacy' | 'modern';
  /** For one answer, and for one answer whatever progress says. */
  readonly timeouts?: { readonly requestMs?: number; readonly totalMs?: number };
}

export interface HttpSource extends SourceSettings {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes of a JSON answer or of one event; how often a broken stream is taken up again. */
  readonly limits?: { readonly responseBytes?: number; readonly sseReconnects?: number };
}

export interface StdioSource extends SourceSettings {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** How `buildSnapshot` connects, and how long names may be. */
export interface SnapshotOptions {
  readonly info?: Implementation;
  /** Longest name a model provider takes. Default 128; some take 64. */
  readonly maxNameLength?: number;
  readonly signal?: AbortSignal;
}

/** Where a name of a snapshot leads: one of the sources, and its own name for the tool. */
export interface ToolTarget {
  readonly source: string;
  readonly tool: string;
}

/** The tools of several servers at one moment, named for a model, with the way back. Close it when the model is done. */
export interface ToolSnapshot extends AsyncDisposable {
  readonly definitions: Definitions;
  /** Local name → server and its own name for the tool. */
  readonly mapping: ReadonlyMap<string, ToolTarget>;
  readonly clients: ReadonlyMap<string, McpClient>;
  /** Definitions that could not be used, with the reason. */
  readonly rejected: readonly { readonly source: string; readonly name: string; readonly reason: string }[];
  /** Ends the conversations this snapshot began; clients that were given stay open. */
  close(): Promise<void>;
}

const INFO: Implementation = { name: 'crosspoint-library', version: '0' };

/** Connects to all servers at once and lists all their tools. If one fails, its error names it, and none stays open. */
export async function buildSnapshot(
  sources: readonly ToolSource[],
  options: SnapshotOptions = {},
): Promise<ToolSnapshot> {
  requireSources(sources);
  requireNameLength(options.maxNameLength);
  const outcomes = await Promise.allSettled(sources.map((source) => open(source, options)));
  const opened = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const close = async (): Promise<void> => {
    await Promise.all(opened.filter(({ owned }) => owned).map(({ client }) => client.close()));
  };
  const failed = outcomes.findIndex(({ status }) => status === 'rejected');
  const outcome = outcomes[failed];
  if (outcome?.status === 'rejected') {
    await close();
    throw named(outcome.reason, sources[failed]?.id);
  }
  const tools = nameTools(opened, options.maxNameLength);
  return {
    definitions: toDefinitions(tools),
    mapping: new Map(tools.map(({ name, source, tool }) => [name, { source, tool: tool.name }])),
    clients: new Map(opened.map(({ id, client }) => [id, client])),
    rejected: opened.flatMap(({ id, rejected }) =>
      rejected.map(({ name, reason }) => ({ source: id, name: name ?? '', reason })),
    ),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The same error, so that its code can still be asked for. */
function named(error: unknown, source: string | undefined): unknown {
  if (error instanceof Error) error.message = `source ${source}: ${error.message}`;
  return error;
}

async function open(source: ToolSource, { info = INFO, signal }: SnapshotOptions) {
  const owned = !('client' in source);
  const client = 'client' in source ? source.client : await connectTo(source, info, signal);
  try {
    const { items, rejected } = await client.listTools(signal === undefined ? {} : { signal });
    return { id: source.id, client, owned, listed: items, rejected };
  } catch (error) {
    if (owned) await client.close();
    throw error;
  }
}

function connectTo(
  source: Exclude<ToolSource, { client: McpClient }>,
  info: Implementation,
  signal: AbortSignal | undefined,
): Promise<McpClient> {
  const { id: _, ...address } = source;
  return connect({ ...address, info, ...(signal !== undefined && { signal }) });
}

interface Opened {
  readonly id: string;
  readonly listed: readonly Tool[];
}

/** Ids are free text here, so two servers can come to the same name; the first one keeps it. */
function nameTools(opened: readonly Opened[], maxLength: number | undefined): NamedTool[] {
  const taken = new Set<string>();
  return opened.flatMap(({ id, listed }) => {
    const names = new Map(
      assignNames(
        providerRule(id, maxLength),
        listed.map(({ name }) => name),
        [],
        taken,
      ),
    );
    for (const name of names.values()) taken.add(name);
    return listed.map((tool) => ({ name: names.get(tool.name) as string, source: id, tool }));
  });
}

const FIELDS = {
  url: ['headers', 'limits', 'timeouts', 'era'],
  command: ['args', 'env', 'cwd', 'timeouts', 'era'],
  client: [],
} as const;

/** Throws `TypeError` for a source that says nothing, or two things at once. */
function requireSources(sources: readonly ToolSource[]): void {
  const ids = new Set(sources.map(({ id }) => id));
  if (ids.size !== sources.length) throw new TypeError('two sources have the same id');
  for (const { id, ...rest } of sources) {
    if (typeof id !== 'string' || id === '') throw new TypeError('a source needs an id');
    const kinds = (Object.keys(FIELDS) as (keyof typeof FIELDS)[]).filter((kind) => kind in rest);
    const [kind] = kinds;
    if (kind === undefined || kinds.length > 1)
      throw new TypeError(`source ${id}: give either url, command or client`);
    const foreign = Object.keys(rest).find(
      (field) => field !== kind && !(FIELDS[kind] as readonly string[]).includes(field),
    );
    if (foreign !== undefined)
      throw new TypeError(`source ${id}: ${foreign} does not belong to a source with ${kind}`);
  }
}

/** Shorter ones could not tell servers apart. */
function requireNameLength(length = 128): void {
  if (!Number.isInteger(length) || length < 32 || length > 128)
    throw new RangeError('maxNameLength must be between 32 and 128');
}
