import { globSync } from './glob-files.js';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { createAgentKey, type ConfiguredAgent } from '../../agents/index.js';
import { parseConnector, type Connector } from '../../connectors/index.js';
import { configInput, type ConfigInput } from '../../contract/index.js';
import type { Policy } from '../../governance/index.js';
import { HubError, isName, NAME_RULE, type Secret, toAgentId, toPolicyId } from '../../kernel/index.js';
import { toAdminSettings } from './admin-settings.js';
import { toAuthSettings } from './auth-settings.js';
import { checkExposure } from './check-exposure.js';
import { checkHolders } from './check-holders.js';
import { checkWorkers } from './check-workers.js';
import type { Config, ConfigSource, Flags } from './config.js';
import { explainIssue } from './explain-issue.js';
import { expandReferences, findForeignReference } from './expand-references.js';
import { readMcpEnvironment } from './mcp-environment.js';
import { readPromptFile } from './prompt-file.js';
import { findConfigFile, readConfigFile } from './read-file.js';
import { readText } from './read-text.js';
import { requireStrong } from './strong-secret.js';
import { pickTelemetry } from './telemetry-settings.js';

export interface ConfigOrigin {
  readonly flags: Flags;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  readonly now: number;
}

type Sources = Record<string, ConfigSource>;
type Pick = ReturnType<typeof picker>;

/** Flags over environment over file over defaults. Throws `config_invalid` with one line that says what to change. */
export function loadConfig(origin: ConfigOrigin): Config {
  const { flags, environment, folder, now } = origin;
  const sources: Sources = {};
  const pick = picker(sources, environment);
  const configFile = findConfigFile(
    pick<string | undefined>('configFile', flags.config, 'CROSSPOINT_CONFIG', undefined, undefined),
    folder,
  );
  const base = configFile === undefined ? folder : dirname(configFile);
  const file = configFile === undefined ? {} : parseFile(configFile, environment, base);
  const mcp = readMcpEnvironment(environment, folder);
  const dataDir = resolve(folder, pick('dataDir', flags.data, 'CROSSPOINT_DATA', undefined, '.crosspoint'));
  const server = pickServer(pick, flags, file.server ?? {});
  if (file.auth !== undefined) sources['auth'] = 'file';
  noteAdminSources(file.admin, sources);
  const config: Config = {
    server,
    storageUrl: pickStorageUrl(pick, file, base, dataDir),
    coordinationUrl: setting(
      pick,
      'coordination.url',
      'CROSSPOINT_COORDINATION_URL',
      file.coordination?.url,
      'memory:',
    ),
    adminToken: toSecret(
      setting<string | undefined>(
        pick,
        'admin.token',
        'CROSSPOINT_ADMIN_TOKEN',
        file.admin?.token,
        undefined,
      ),
      'admin.token',
    ),
    admin: toAdminSettings(file.admin ?? {}, now),
    auth: toAuthSettings(file.auth ?? {}, server.host),
    agents: toAgents(file.agents ?? {}, now, sources),
    connectors: toConnectors(file, mcp.connectors, base, now, sources),
    toolsets: Object.fromEntries(
      Object.entries(file.toolsets ?? {}).map(([name, { tools }]) => [requireName(name, 'toolsets'), tools]),
    ),
    policies: toPolicies(file.policies ?? [], base, now),
    audit: pickAudit(pick, file.audit),
    limits: pickLimits(pick, file.limits),
    health: pickHealth(pick, file.health, mcp.healthIntervalMs, sources),
    syncIntervalMs: pick('sync.intervalMs', undefined, undefined, file.sync?.intervalMs, 3_600_000),
    outputCheck: pick('outputCheck', undefined, undefined, file.outputCheck, 'warn'),
    idempotencyKeys: pick('idempotencyKeys', undefined, undefined, file.idempotencyKeys, false),
    telemetry: pickTelemetry(file.telemetry ?? {}, environment, sources),
    ...pickLogging(pick, flags),
    dataDir,
    configFile,
    watched: toWatched(configFile, file, base),
    sources,
  };
  for (const check of [checkExposure, checkHolders, checkWorkers]) check(config);
  return config;
}

const UNLIMITED = { perSecond: 0, burst: 1 };

function pickLimits(pick: Pick, limits: ConfigInput['limits']): Config['limits'] {
  return {
    perAgent: setting(pick, 'limits.perAgent', undefined, limits?.perAgent, UNLIMITED),
    perTool: setting(pick, 'limits.perTool', undefined, limits?.perTool, UNLIMITED),
    inFlight: setting(pick, 'limits.inFlight', undefined, limits?.inFlight, 2_000),
  };
}

function noteAdminSources(admin: ConfigInput['admin'], sources: Sources): void {
  if (admin?.accounts !== undefined) sources['admin.accounts'] = 'file';
  if (admin?.oidc !== undefined) sources['admin.oidc'] = 'file';
}

/** A value that no flag sets. */
function setting<Value>(
  pick: Pick,
  path: string,
  variable: string | undefined,
  file: Value | undefined,
  fallback: Value,
): Value {
  return pick(path, undefined, variable, file, fallback);
}

function pickServer(pick: Pick, flags: Flags, server: NonNullable<ConfigInput['server']>): Config['server'] {
  const own = <Value>(name: string, file: Value | undefined, fallback: Value): Value =>
    setting(pick, `server.${name}`, undefined, file, fallback);
  const number = pick<string | number>;
  const port = number('server.port', flags.port, 'CROSSPOINT_PORT', server.port, 8080);
  const workers = number('server.workers', flags.workers, 'CROSSPOINT_WORKERS', server.workers, 1);
  return {
    host: pick('server.host', flags.host, 'CROSSPOINT_HOST', server.host, '127.0.0.1'),
    port: toNumber(port, 'port', 0, 65_535),
    workers: toNumber(workers, 'workers', 1, 64),
    publicUrl: setting<string | undefined>(
      pick,
      'server.publicUrl',
      'CROSSPOINT_PUBLIC_URL',
      server.publicUrl,
      undefined,
    ),
    allowedOrigins: own('allowedOrigins', server.allowedOrigins, []),
    allowedHosts: own('allowedHosts', server.allowedHosts, []),
    trustedProxies: own('trustedProxies', server.trustedProxies, []),
    maxBodyBytes: own('maxBodyBytes', server.maxBodyBytes, 4 * 1024 * 1024),
    streaming: own('streaming', server.streaming, 'auto'),
    sessions: own('sessions', server.sessions, 'auto'),
    batches: own('batches', server.batches, true),
    rejectChunked: own('rejectChunked', server.rejectChunked, false),
    fastFront: own('fastFront', server.fastFront, true),
    keepAliveMs: own('keepAliveMs', server.keepAliveMs, 15_000),
    connectionsPerAddress: own('connectionsPerAddress', server.connectionsPerAddress, 10_000),
    allowStdioFromApi: own('allowStdioFromApi', server.allowStdioFromApi, false),
  };
}

function pickLogging(
  pick: Pick,
  flags: Flags,
): { logFormat: Config['logFormat']; logLevel: Config['logLevel'] } {
  const format = pick('logFormat', flags.logFormat, 'CROSSPOINT_LOG_FORMAT', undefined, 'pretty');
  const level = pick('logLevel', flags.logLevel, 'CROSSPOINT_LOG_LEVEL', undefined, 'info');
  return {
    logFormat: oneOf(format, ['pretty', 'json'], 'log format'),
    logLevel: oneOf(level, ['debug', 'info', 'warn', 'error'], 'log level'),
  };
}

function pickStorageUrl(pick: Pick, file: ConfigInput, base: string, dataDir: string): string {
  const variable = 'CROSSPOINT_STORAGE_URL';
  const url = setting<string | undefined>(pick, 'storage.url', variable, file.storage?.url, undefined);
  return toStorageUrl(url, base, dataDir);
}

function parseFile(path: string, environment: ConfigOrigin['environment'], folder: string): ConfigInput {
  const content = readConfigFile(path);
  const foreign = findForeignReference(content);
  if (foreign !== undefined) throw new HubError('config_invalid', foreign);
  const parsed = configInput.safeParse(expandReferences(content, { environment, folder }));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new HubError(
    'config_invalid',
    `${path}: ${issue === undefined ? 'is not valid' : explainIssue(issue)}`,
  );
}

/** Chooses a value and remembers where it came from. */
function picker(sources: Sources, environment: ConfigOrigin['environment']) {
  return function pick<Value>(
    path: string,
    flag: Value | undefined,
    variable: string | undefined,
    file: Value | undefined,
    fallback: Value,
  ): Value {
    const fromEnvironment = variable === undefined ? undefined : environment[variable];
    const found = (
      [
        ['flag', flag],
        ['environment', fromEnvironment === '' ? undefined : (fromEnvironment as Value | undefined)],
        ['file', file],
      ] as const
    ).find(([, value]) => value !== undefined);
    sources[path] = found?.[0] ?? 'default';
    return found === undefined ? fallback : (found[1] as Value);
  };
}

function toNumber(value: string | number, what: string, least: number, most: number): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < least || number > most)
    throw new HubError('config_invalid', `${what} must be a number from ${least} to ${most}`);
  return number;
}

function toStorageUrl(url: string | undefined, base: string, dataDir: string): string {
  if (url === undefined) return `sqlite:${join(dataDir, 'hub.db')}`;
  if (!url.startsWith('sqlite:')) return url;
  const path = url.slice('sqlite:'.length);
  return path === ':memory:' || isAbsolute(path) ? url : `sqlite:${resolve(base, path)}`;
}

function toSecret(value: string | undefined, what: string): Secret | undefined {
  return value === undefined ? undefined : requireStrong(value, what);
}

function toAgents(
  agents: NonNullable<ConfigInput['agents']>,
  now: number,
  sources: Sources,
): ConfiguredAgent[] {
  return Object.entries(agents).map(([id, { name = id, keys = [], tags = [], enabled = true }]) => {
    requireName(id, 'agents');
    if (id === 'shared')
      throw new HubError(
        'config_invalid',
        'agents: "shared" stands for the credential that belongs to no agent',
      );
    sources[`agents.${id}`] = 'file';
    const agentId = toAgentId(id);
    return {
      agent: { id: agentId, name, enabled, tags, source: 'file', version: 1, createdAt: now, updatedAt: now },
      keys: keys.map(
        (key) => createAgentKey({ agentId, now, key: requireStrong(key, `a key of agent ${id}`) }).key,
      ),
    };
  });
}

function toConnectors(
  file: ConfigInput,
  environment: Readonly<Record<string, Record<string, unknown>>>,
  base: string,
  now: number,
  sources: Sources,
): Connector[] {
  const twice = Object.keys(file.connectors ?? {}).find((id) => Object.hasOwn(file.mcpServers ?? {}, id));
  if (twice !== undefined)
    throw new HubError('config_invalid', `${twice} stands in connectors and in mcpServers`);
  const fromFile = { ...file.connectors, ...file.mcpServers };
  const parse = (id: string, input: unknown, source: 'file' | 'environment'): Connector => {
    sources[`connectors.${id}`] = source;
    try {
      return parseConnector(id, input, { source, now });
    } catch (error) {
      throw error instanceof HubError
        ? new HubError('config_invalid', `connectors.${id}.${error.message}`, { cause: error })
        : error;
    }
  };
  return [
    ...Object.entries(environment).map(([id, input]) => parse(id, input, 'environment')),
    ...Object.entries(fromFile)
      .filter(([id]) => !Object.hasOwn(environment, id))
      .map(([id, input]) =>
        parse(
          id,
          {
            ...input,
            ...(typeof input.prompts === 'string' && {
              prompts: readPromptFile(resolve(base, input.prompts)),
            }),
          },
          'file',
        ),
      ),
  ];
}

function toPolicies(patterns: readonly string[], base: string, now: number): Policy[] {
  return globSync(patterns, base).map((path) => {
    const id = path.replace(/^.*[\\/]/, '').replace(/\.cedar$/, '');
    return {
      id: toPolicyId(requireName(id, 'policies')),
      text: readText(path),
      source: 'file',
      version: 1,
      updatedAt: now,
    };
  });
}

/** Folders rather than patterns: a file that is new there counts too. */
function toWatched(configFile: string | undefined, file: ConfigInput, base: string): string[] {
  const prompts = Object.values({ ...file.connectors, ...file.mcpServers }).map(
    (connector) => connector.prompts,
  );
  return [
    ...(configFile === undefined ? [] : [configFile]),
    // The folder only where a new file in it may count: others write there too.
    ...(file.policies ?? [])
      .map((pattern) => resolve(base, pattern))
      .map((path) => (path.includes('*') ? dirname(path) : path)),
    ...prompts.filter((path) => typeof path === 'string').map((path) => resolve(base, path)),
  ];
}

function requireName(name: string, where: string): string {
  if (isName(name)) return name;
  throw new HubError('config_invalid', `${where}: "${String(name)}" is not a name (${NAME_RULE})`);
}

function oneOf<Value extends string>(value: Value, allowed: readonly Value[], what: string): Value {
  if (!allowed.includes(value))
    throw new HubError('config_invalid', `${what} must be one of ${allowed.join(', ')}`);
  return value;
}

function pickAudit(pick: Pick, file: ConfigInput['audit']): Config['audit'] {
  return {
    arguments: pick('audit.arguments', undefined, undefined, file?.arguments, 'hashed'),
    durability: pick('audit.durability', undefined, undefined, file?.durability, 'process'),
    maxEvents: pick('audit.maxEvents', undefined, undefined, file?.maxEvents, 5_000_000),
    maxDays: pick('audit.maxDays', undefined, undefined, file?.maxDays, 365),
  };
}

function pickHealth(
  pick: Pick,
  file: ConfigInput['health'],
  fromEnvironment: number | undefined,
  sources: Sources,
): Config['health'] {
  const intervalMs = pick('health.intervalMs', undefined, undefined, file?.intervalMs, 60_000);
  const timeoutMs = pick('health.timeoutMs', undefined, undefined, file?.timeoutMs, 5_000);
  if (fromEnvironment === undefined) return { intervalMs, timeoutMs };
  sources['health.intervalMs'] = 'environment';
  return { intervalMs: fromEnvironment, timeoutMs };
}
