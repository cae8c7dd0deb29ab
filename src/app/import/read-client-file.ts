import { basename, dirname } from 'node:path';
import type { ParseError } from 'jsonc-parser';
import { HubError } from '../../kernel/index.js';
import { explainJsonError } from '../config/json-error.js';
import { jsonc } from '../config/languages.js';
import { readText } from '../config/read-text.js';
import type { ClientPlace } from './clients.js';
import { parseToml } from './parse-toml.js';

export type Settings = Readonly<Record<string, unknown>>;

/** One server as a client's file describes it. */
export interface ServerEntry {
  readonly name: string;
  readonly settings: Settings;
  /** The file it stands in. */
  readonly file: string;
  /** The project the file belongs to; undefined for files of the user. */
  readonly project: string | undefined;
  /** Whether it is for one person in one project. It goes before what a project has for everybody. */
  readonly personal: boolean;
}

/** A value that a client asks its user for. */
export interface ClientInput {
  readonly id: string;
  readonly description: string;
  readonly secret: boolean;
  readonly fallback: string | undefined;
}

export interface ClientContent {
  readonly servers: readonly ServerEntry[];
  readonly inputs: readonly ClientInput[];
}

/** Reads a file of any client we know. Throws `config_invalid` for what is no such file. */
export function readClientFile(file: string, place: ClientPlace): ClientContent {
  const content = spellOut(readSettings(file), file);
  const project = projectOf(file, place);
  const toEntries = (servers: unknown): ServerEntry[] =>
    entriesOf(servers).map(([name, settings]) => ({
      name,
      settings: asObject(settings),
      file,
      project,
      personal: false,
    }));
  const nested = asObject(content['mcp']);
  const own = asObject(asObject(content['projects'])[place.folder]);
  const personal = toEntries(own['mcpServers']).map((entry): ServerEntry => ({
    ...entry,
    project: place.folder,
    personal: true,
  }));
  const sections = [content['mcpServers'], content['servers'], nested['servers'], content['mcp_servers']];
  if (sections.every((section) => section === undefined) && content['projects'] === undefined) {
    throw new HubError(
      'config_invalid',
      `${file}: no servers are described here (expected mcpServers, servers or [mcp_servers])`,
      { details: { servers: 0 } },
    );
  }
  return {
    servers: [...personal, ...sections.flatMap(toEntries)],
    inputs: [...asList(content['inputs']), ...asList(nested['inputs'])].flatMap(toInput),
  };
}

export function readSettings(file: string): Settings {
  const text = readText(file);
  if (file.endsWith('.toml')) {
    try {
      return parseToml(text);
    } catch (error) {
      throw error instanceof HubError
        ? new HubError(error.code, `${file}: ${error.message}`, { cause: error })
        : error;
    }
  }
  const errors: ParseError[] = [];
  const content: unknown = jsonc().parse(text, errors, { allowTrailingComma: true });
  const problem = errors[0];
  if (problem === undefined && typeof content === 'object' && content !== null) return asObject(content);
  const line = text.slice(0, problem?.offset ?? 0).split('\n').length;
  throw new HubError(
    'config_invalid',
    `${file}: line ${line}: ${problem === undefined ? 'not an object' : explainJsonError(text, problem)}`,
  );
}

/** Gemini also fills in `$NAME`, and uses no server that it is told to leave out. */
function spellOut(content: Settings, file: string): Settings {
  if (basename(dirname(file)) !== '.gemini') return content;
  const { mcpServers, mcp } = asObject(
    JSON.parse(JSON.stringify(content).replaceAll(/\$([A-Za-z_]\w*)/g, '${$1}')),
  );
  const { allowed, excluded } = asObject(mcp);
  const isOff = (name: string): boolean =>
    asList(excluded).includes(name) || (Array.isArray(allowed) && !allowed.includes(name));
  if (mcpServers === undefined) return content;
  const servers = entriesOf(mcpServers).map(([name, settings]) => [
    name,
    isOff(name) ? { ...asObject(settings), disabled: true } : settings,
  ]);
  return { mcpServers: Object.fromEntries(servers) as Settings };
}

/** `.vscode/mcp.json` and its like belong to the folder they are in, unless that is the user's home. */
function projectOf(file: string, { home }: ClientPlace): string | undefined {
  const folder = dirname(file);
  const isProjectFile =
    ['.vscode', '.cursor', '.codex', '.gemini'].includes(basename(folder)) || basename(file) === '.mcp.json';
  if (!isProjectFile) return undefined;
  const project = basename(file) === '.mcp.json' ? folder : dirname(folder);
  return project === home ? undefined : project;
}

function toInput(value: unknown): ClientInput[] {
  const { id, description, password, default: fallback } = asObject(value);
  if (typeof id !== 'string') return [];
  return [
    {
      id,
      description: typeof description === 'string' ? description : id,
      secret: password === true,
      fallback: typeof fallback === 'string' ? fallback : undefined,
    },
  ];
}

export function asObject(value: unknown): Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Settings) : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Some programs keep a list whose items say their names. */
function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  if (!Array.isArray(value)) return Object.entries(asObject(value));
  return value.map((item: unknown, index) => {
    const { name } = asObject(item);
    return [typeof name === 'string' ? name : `server ${index + 1}`, item] as const;
  });
}
