import { extname, resolve } from 'node:path';
import { HubError } from '../../kernel/index.js';
import { readGuideFile } from './prompt-file.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** What the `MCP_…` variables say, in the terms of the configuration file. */
export interface McpEnvironment {
  readonly connectors: Readonly<Record<string, Record<string, unknown>>>;
  readonly healthIntervalMs: number | undefined;
}

const SUFFIXES = [
  'TYPE',
  'TRANSPORT',
  'URL',
  'LOCAL_PATH',
  'API_KEY',
  'ENABLED',
  'TIMEOUT',
  'PROMPTS_FILE',
  'PROMPT_TOOL_ASSOCIATION',
] as const;
type Suffix = (typeof SUFFIXES)[number];
const VARIABLE = new RegExp(
  `^MCP_SERVER_(.+)_(${SUFFIXES.toSorted((a, b) => b.length - a.length).join('|')})$`,
);

/** As in the file: what is longer a timer cannot measure, or nobody waits for. */
const LONGEST_ANSWER_S = 3_600;
const LONGEST_INTERVAL_S = 86_400;

/** One server as its variables describe it. */
interface ServerVariables {
  /** The name in the variables, from which the connector's id is made. */
  readonly name: string;
  readonly fields: Map<Suffix, string>;
}

/** `MCP_SERVER_<NAME>_…` describes a connector called `<name>`; `MCP_ENABLE=false` switches all of them off. Paths are relative to `folder`. */
export function readMcpEnvironment(environment: Environment, folder: string): McpEnvironment {
  const interval = 'MCP_HEALTH_CHECK_INTERVAL';
  const healthIntervalMs = toMilliseconds(environment[interval], interval, LONGEST_INTERVAL_S);
  if (!isOn(environment, 'MCP_ENABLE')) return { connectors: {}, healthIntervalMs };
  const servers = new Map<string, ServerVariables>();
  for (const [variable, value] of Object.entries(environment)) {
    const match = VARIABLE.exec(variable);
    if (match === null || value === undefined || value === '') continue;
    const [, name, suffix] = match as unknown as [string, string, Suffix];
    const id = name.toLowerCase().replaceAll('__', '-');
    const server = servers.get(id) ?? { name, fields: new Map<Suffix, string>() };
    server.fields.set(suffix, value);
    servers.set(id, server);
  }
  return {
    connectors: Object.fromEntries(
      [...servers].map(([id, server]) => [id, toConnector(server, environment, folder)]),
    ),
    healthIntervalMs,
  };
}

function toConnector(
  { name, fields }: ServerVariables,
  environment: Environment,
  folder: string,
): Record<string, unknown> {
  const variable = (suffix: Suffix): string => `MCP_SERVER_${name}_${suffix}`;
  const timeoutMs =
    toMilliseconds(fields.get('TIMEOUT'), variable('TIMEOUT'), LONGEST_ANSWER_S) ??
    toMilliseconds(environment['MCP_CLIENT_TIMEOUT'], 'MCP_CLIENT_TIMEOUT', LONGEST_ANSWER_S);
  const retries = toRetries(environment['MCP_CLIENT_RETRY_ATTEMPTS']);
  const prompts = fields.get('PROMPTS_FILE');
  const tools =
    fields
      .get('PROMPT_TOOL_ASSOCIATION')
      ?.split(',')
      .map((tool) => tool.trim())
      .filter((tool) => tool !== '') ?? [];
  return {
    ...toEndpoint(fields, variable, folder),
    ...(fields.has('ENABLED') && { enabled: toSwitch(fields.get('ENABLED') as string, variable('ENABLED')) }),
    ...(timeoutMs !== undefined && {
      timeouts: { requestMs: timeoutMs, totalMs: Math.max(timeoutMs, 120_000) },
    }),
    ...(retries !== undefined && { retries }),
    ...(prompts !== undefined && { prompts: readGuideFile(resolve(folder, prompts), tools) }),
  };
}

function toEndpoint(
  fields: ReadonlyMap<Suffix, string>,
  variable: (suffix: Suffix) => string,
  folder: string,
): Record<string, unknown> {
  const type = fields.get('TYPE');
  if (type !== undefined && type !== 'local' && type !== 'remote')
    throw new HubError('config_invalid', `${variable('TYPE')} must be remote or local`);
  if (type === 'local' || fields.get('TRANSPORT') === 'stdio') {
    const path = fields.get('LOCAL_PATH');
    if (path === undefined) throw new HubError('config_invalid', `${variable('LOCAL_PATH')} is missing`);
    return { transport: 'stdio', ...toCommand(path, folder) };
  }
  const url = fields.get('URL');
  if (url === undefined) throw new HubError('config_invalid', `${variable('URL')} is missing`);
  const key = fields.get('API_KEY');
  return {
    transport: fields.get('TRANSPORT') ?? 'streamable_http',
    url,
    ...(key !== undefined && { auth: { type: 'bearer', token: key } }),
  };
}

/** A script is run by what its name ends in; anything else is a program itself. */
function toCommand(path: string, folder: string): { command: string; args: string[] } {
  switch (extname(path)) {
    case '.py':
      return { command: 'python3', args: [resolve(folder, path)] };
    case '.js':
    case '.mjs':
    case '.cjs':
      return { command: process.execPath, args: [resolve(folder, path)] };
    default:
      return { command: path.includes('/') ? resolve(folder, path) : path, args: [] };
  }
}

function isOn(environment: Environment, name: string): boolean {
  const value = environment[name];
  return value === undefined || value === '' || toSwitch(value, name);
}

function toSwitch(value: string, name: string): boolean {
  if (/^(?:true|1|yes|on)$/i.test(value)) return true;
  if (/^(?:false|0|no|off)$/i.test(value)) return false;
  throw new HubError('config_invalid', `${name} must be true or false`);
}

function toMilliseconds(seconds: string | undefined, name: string, most: number): number | undefined {
  if (seconds === undefined || seconds === '') return undefined;
  const milliseconds = Math.round(Number(seconds) * 1000);
  if (milliseconds >= 1 && milliseconds <= most * 1000) return milliseconds;
  throw new HubError('config_invalid', `${name} must be a number of seconds from 0.001 to ${most}`);
}

function toRetries(value: string | undefined): number | undefined {
  if (value === undefined || value === '') return undefined;
  if (!/^[0-5]$/.test(value.trim()))
    throw new HubError('config_invalid', 'MCP_CLIENT_RETRY_ATTEMPTS must be a whole number from 0 to 5');
  return Number(value);
}
