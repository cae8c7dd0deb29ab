import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { fillsBareNames } from './clients.js';
import { describeMissing, resolvePlaceholders, type PlaceholderSources } from './placeholders.js';
import { asObject, type ServerEntry, type Settings } from './read-client-file.js';

/** A server in the terms all clients share. Placeholders are still in it, except in what had to be read for it. */
export interface RawServer {
  readonly transport: 'streamable_http' | 'sse' | 'stdio' | undefined;
  readonly url: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly command: string | undefined;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  readonly enabled: boolean;
  readonly timeoutMs: number | undefined;
  readonly oauth: boolean;
  /** Whether `${NAME}` in its command is for the client to fill in. */
  readonly fillsBareNames: boolean;
  /** What is said of it that we have no use for. */
  readonly leftOut: readonly string[];
}

const TRANSPORTS: Readonly<Record<string, RawServer['transport']>> = {
  stdio: 'stdio',
  local: 'stdio',
  sse: 'sse',
  http: 'streamable_http',
  'streamable-http': 'streamable_http',
  streamable_http: 'streamable_http',
  streamableHttp: 'streamable_http',
};

const USED = new Set([
  'type',
  'transport',
  'url',
  'serverUrl',
  'httpUrl',
  'headers',
  'http_headers',
  'env_http_headers',
  'bearer_token_env_var',
  'command',
  'args',
  'env',
  'env_vars',
  'envFile',
  'cwd',
  'disabled',
  'enabled',
  'timeout',
  'tool_timeout_sec',
  'oauth',
  'auth',
]);
/** Of interest to the client only. */
const CLIENTS_OWN = new Set([
  'startup_timeout_sec',
  'startup_timeout_ms',
  'gallery',
  'version',
  'dev',
  'description',
  'name',
  'icon',
  'required',
]);

/** What a connector may be allowed. */
const LONGEST_REQUEST_MS = 3_600_000;

/** The same words for what every client calls by its own. Throws for what is no server. */
export function readEntry({ settings, project, file }: ServerEntry, sources: PlaceholderSources): RawServer {
  const type = settings['type'] ?? settings['transport'];
  const transport = typeof type === 'string' ? TRANSPORTS[type] : undefined;
  if (typeof type === 'string' && transport === undefined)
    throw new Error(`the transport "${type}" is not supported`);
  const url = textOf(settings['httpUrl']) ?? textOf(settings['url']) ?? textOf(settings['serverUrl']);
  const [command, ...leading] = commandOf(settings['command']);
  if (url === undefined && command === undefined) throw new Error('it has neither a url nor a command');
  return {
    transport: transport ?? (url === undefined ? 'stdio' : undefined),
    url: transport === 'stdio' ? undefined : url,
    headers: headersOf(settings, sources),
    command: url !== undefined && transport !== 'stdio' ? undefined : command,
    args: [...leading, ...listOf(settings['args'])],
    env: {
      ...envFileOf(settings, project ?? sources.home, sources),
      ...passedOf(settings, sources),
      ...textsOf(settings['env']),
    },
    cwd: textOf(settings['cwd']) ?? project,
    enabled: settings['enabled'] !== false && settings['disabled'] !== true,
    timeoutMs: timeoutOf(settings),
    oauth: isSignIn(settings['oauth']) || isSignIn(settings['auth']) || settings['auth'] === 'oauth',
    fillsBareNames: fillsBareNames(file),
    leftOut: [
      ...Object.keys(settings).filter((key) => !USED.has(key) && !CLIENTS_OWN.has(key)),
      ...['oauth', 'auth'].flatMap((key) => signInParts(settings[key]).map((part) => `${key}.${part}`)),
      ...[...handedOn(settings), ...Object.values(textsOf(settings['env_http_headers']))]
        .filter((name) => sources.environment[name] === undefined)
        .map((name) => `${name} (not set)`),
    ],
  };
}

/** Literal ones, and those whose values are in variables: of these the client sends what is set. */
function headersOf(settings: Settings, { environment }: PlaceholderSources): Record<string, string> {
  const fromVariables = Object.entries(textsOf(settings['env_http_headers']))
    .filter(([, variable]) => environment[variable] !== undefined)
    .map(([name, variable]) => [name, `\${env:${variable}}`] as const);
  const bearer = textOf(settings['bearer_token_env_var']);
  return {
    ...textsOf(settings['headers']),
    ...textsOf(settings['http_headers']),
    ...Object.fromEntries(fromVariables),
    ...(bearer !== undefined && { Authorization: `Bearer \${env:${bearer}}` }),
  };
}

/** Variables that the client hands on from its own environment, where they are set. */
function passedOf(settings: Settings, { environment }: PlaceholderSources): Record<string, string> {
  return Object.fromEntries(
    handedOn(settings)
      .filter((name) => environment[name] !== undefined)
      .map((name) => [name, `\${env:${name}}`]),
  );
}

function handedOn(settings: Settings): string[] {
  const names = Array.isArray(settings['env_vars']) ? settings['env_vars'] : [];
  return names
    .map((entry: unknown) => textOf(entry) ?? textOf(asObject(entry)['name']))
    .filter((name) => name !== undefined);
}

function envFileOf(settings: Settings, folder: string, sources: PlaceholderSources): Record<string, string> {
  const path = textOf(settings['envFile'])?.replace(/^~(?=\/)/, '${userHome}');
  if (path === undefined) return {};
  const { text: place, missing } = resolvePlaceholders(path, sources);
  if (place === undefined) throw new Error(`its envFile needs ${describeMissing(missing)}`);
  const file = resolve(folder, place);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new Error(`its envFile ${file} cannot be read`);
  }
  return textsOf(parseEnv(text));
}

function timeoutOf(settings: Settings): number | undefined {
  const { timeout, tool_timeout_sec: seconds } = settings;
  if (typeof seconds === 'number' && seconds > 0) return toMilliseconds(seconds * 1_000);
  if (typeof timeout !== 'number' || timeout <= 0) return undefined;
  // Clients that count in seconds offer an hour at most; in those that count in milliseconds nobody writes so little.
  return toMilliseconds(timeout <= 3_600 ? timeout * 1_000 : timeout);
}

function toMilliseconds(wanted: number): number {
  return Math.min(Math.round(wanted), LONGEST_REQUEST_MS);
}

function isSignIn(value: unknown): boolean {
  const settings = asObject(value);
  return Object.keys(settings).length > 0 && settings['enabled'] !== false;
}

/** What a client that signs in is told of it. The hub finds out by itself, and is a client of its own. */
function signInParts(value: unknown): string[] {
  return Object.keys(asObject(value)).filter((part) => part !== 'enabled');
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A program, or a list that has its arguments behind it. */
function commandOf(value: unknown): readonly string[] {
  const text = textOf(value);
  return text === undefined ? listOf(value) : [text];
}

function listOf(value: unknown): string[] {
  return Array.isArray(value)
    ? value.filter((item) => ['string', 'number', 'boolean'].includes(typeof item)).map(String)
    : [];
}

function textsOf(value: unknown): Record<string, string> {
  const given = Object.entries(asObject(value)).filter(([, text]) =>
    ['string', 'number', 'boolean'].includes(typeof text),
  );
  return Object.fromEntries(given.map(([name, text]) => [name, String(text)]));
}
