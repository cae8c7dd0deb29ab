import { connectorInput, HTTP_FIELDS, STDIO_FIELDS, type ConnectorInput } from '../contract/index.js';
import { invalidField, isName, NAME_RULE, Secret, toConnectorId } from '../kernel/index.js';
import {
  DEFAULT_IDLE_STOP_MS,
  DEFAULT_MAX_LIFETIME_MS,
  DEFAULT_LIMITS,
  DEFAULT_TIMEOUTS,
  type Connector,
  type ConnectorLimits,
  type ConnectorSource,
  type ConnectorTimeouts,
  type Endpoint,
  type OperatorPrompt,
} from './connector.js';
import { checkUrl } from './check-url.js';
import { parseAuth } from './parse-auth.js';

export interface ConnectorOrigin {
  readonly source: ConnectorSource;
  readonly now: number;
  /** The connector this one replaces. */
  readonly before?: Connector;
  /** The hub's own unless told otherwise. */
  readonly platform?: NodeJS.Platform;
}

/** A complete connector, or `invalid_request` that names the field and what to do about it. */
export function parseConnector(id: string, input: unknown, origin: ConnectorOrigin): Connector {
  if (!isName(id)) throw invalidField('id', `a connector's id has ${NAME_RULE}`);
  const parsed = connectorInput.safeParse(input);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw invalidField(issue?.path.join('.') || id, issue?.message ?? 'is not valid');
  }
  const given = parsed.data;
  const endpoint = toEndpoint(given);
  const operatorOwned = origin.source !== 'stored';
  const mayBePrivate = given.allowPrivateNetwork ?? operatorOwned;
  if (endpoint.transport !== 'stdio') checkUrl(endpoint.url, mayBePrivate);
  const limits = { ...DEFAULT_LIMITS, ...given.limits };
  requireMeasurable(limits, origin.platform ?? process.platform);
  const { auth, credentialMode } = parseAuth(given, endpoint.transport === 'stdio', mayBePrivate);
  return {
    id: toConnectorId(id),
    name: given.name ?? id,
    endpoint,
    auth,
    credentialMode,
    era: given.era ?? 'auto',
    timeouts: toTimeouts(given.timeouts),
    limits,
    isolation: given.isolation ?? (endpoint.transport === 'stdio' ? 'shared' : 'per_principal'),
    retries: given.retries ?? 1,
    enabled: given.enabled ?? given.disabled !== true,
    hideWhenUnhealthy: given.hideWhenUnhealthy ?? false,
    changedTools: given.changedTools ?? 'offer',
    prompts: (given.prompts ?? []).map(toOperatorPrompt),
    tags: given.tags ?? [],
    toolTags: given.toolTags ?? {},
    allowPrivateNetwork: mayBePrivate,
    source: origin.source,
    version: (origin.before?.version ?? 0) + 1,
    createdAt: origin.before?.createdAt ?? origin.now,
    updatedAt: origin.now,
  };
}

const SPELLINGS: Readonly<Record<string, Endpoint['transport']>> = {
  http: 'streamable_http',
  'streamable-http': 'streamable_http',
  streamable_http: 'streamable_http',
  streamableHttp: 'streamable_http',
  sse: 'sse',
  stdio: 'stdio',
};

/** Settings that have no meaning for a process. */
const HTTP_SETTINGS = [
  ['timeouts', 'connectMs'],
  ['limits', 'sseReconnects'],
] as const;

/** Settings that have no meaning for anything else. */
const STDIO_SETTINGS = [
  ['limits', 'memoryBytes'],
  ['limits', 'cpuSeconds'],
  ['limits', 'processes'],
] as const;

/** Who allows more for one answer than a whole call has by default allows it for the whole call. */
function toTimeouts(given: ConnectorInput['timeouts']): ConnectorTimeouts {
  const timeouts = { ...DEFAULT_TIMEOUTS, ...given };
  const totalMs = given?.totalMs ?? Math.max(timeouts.totalMs, timeouts.requestMs);
  return { ...timeouts, totalMs };
}

function toEndpoint(given: ConnectorInput): Endpoint {
  const spelled = given.type === undefined ? undefined : SPELLINGS[given.type];
  const named = given.transport ?? spelled;
  if (spelled !== undefined && spelled !== named)
    throw invalidField('type', `contradicts the transport ${named}`);
  const transport = named ?? (given.command === undefined ? 'streamable_http' : 'stdio');
  const foreign = (transport === 'stdio' ? HTTP_FIELDS : STDIO_FIELDS).find(
    (field) => given[field] !== undefined,
  );
  if (foreign !== undefined) throw invalidField(foreign, `does not belong to a ${transport} connector`);
  const inner = (transport === 'stdio' ? HTTP_SETTINGS : STDIO_SETTINGS).find(
    ([group, field]) => given[group] !== undefined && field in given[group],
  );
  if (inner !== undefined) throw invalidField(inner.join('.'), `does not belong to a ${transport} connector`);
  if (transport !== 'stdio') {
    if (given.url === undefined)
      throw invalidField(
        'url',
        named === undefined ? 'a connector needs a url or a command' : `a ${transport} connector needs a url`,
      );
    return { transport, url: given.url };
  }
  if (given.command === undefined) throw invalidField('command', 'a stdio connector needs a command');
  return {
    transport,
    command: given.command,
    args: given.args ?? [],
    env: Object.fromEntries(
      Object.entries(given.env ?? {}).map(([name, value]) => [name, new Secret(value)]),
    ),
    cwd: given.cwd,
    pins: Object.fromEntries(
      Object.entries(given.pins ?? {}).map(([file, digest]) => [file, digest.toLowerCase()]),
    ),
    idleStopMs: given.idleStopMs ?? DEFAULT_IDLE_STOP_MS,
    maxLifetimeMs: given.maxLifetimeMs ?? DEFAULT_MAX_LIFETIME_MS,
  };
}

/** How much processes use is told by `/proc`. A limit that cannot be held is refused rather than ignored. */
function requireMeasurable(limits: ConnectorLimits, platform: NodeJS.Platform): void {
  const set = STDIO_SETTINGS.find(([, field]) => limits[field] > 0);
  if (set !== undefined && platform !== 'linux')
    throw invalidField(set.join('.'), 'can be held on Linux only');
}

function toOperatorPrompt(prompt: NonNullable<ConnectorInput['prompts']>[number]): OperatorPrompt {
  return { ...prompt, arguments: prompt.arguments ?? [], tools: prompt.tools ?? [] };
}
