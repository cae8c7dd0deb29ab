import type { ConfiguredAgent } from '../../agents/index.js';
import { maskUrl, type Connector } from '../../connectors/index.js';
import type { Config, ConfigSource } from './config.js';

/** One setting as it is in force. */
export interface ConfigLine {
  readonly path: string;
  /** Never a secret. */
  readonly value: unknown;
  readonly source: ConfigSource;
}

const MASK = '***';

/** Every setting with where it came from. Secrets are shown as set or not set, arguments of commands by their number. */
export function describeConfig(config: Config): readonly ConfigLine[] {
  const { server, audit, limits, health, configFile } = config;
  const values: Readonly<Record<string, unknown>> = {
    configFile: configFile ?? null,
    dataDir: config.dataDir,
    ...under('server', server),
    'storage.url': maskService(config.storageUrl),
    'coordination.url': maskService(config.coordinationUrl),
    'admin.token': config.adminToken === undefined ? null : MASK,
    'admin.accounts': config.admin.accounts.map(({ id, role }) => ({ id, role, token: MASK })),
    'admin.oidc': describeSingleSignOn(config.admin.oidc),
    'auth.issuers': config.auth.issuers.map(({ issuer }) => issuer),
    ...under('auth.server', config.auth.server),
    ...Object.fromEntries(config.agents.map((agent) => [`agents.${agent.agent.id}`, describeAgent(agent)])),
    ...Object.fromEntries(
      config.connectors.map((connector) => [`connectors.${connector.id}`, describeConnector(connector)]),
    ),
    ...under('toolsets', config.toolsets),
    policies: config.policies.map(({ id }) => id),
    ...under('audit', audit),
    ...under('limits', limits),
    ...under('health', health),
    'sync.intervalMs': config.syncIntervalMs,
    outputCheck: config.outputCheck,
    idempotencyKeys: config.idempotencyKeys,
    'telemetry.metrics': config.telemetry.metrics,
    ...under('telemetry', describeCollector(config.telemetry.otlp)),
    logFormat: config.logFormat,
    logLevel: config.logLevel,
  };
  return Object.entries(values).map(([path, value]) => ({
    path,
    value: value ?? null,
    source: sourceOf(config, path),
  }));
}

/** As recorded, by the path itself or by one that leads to it. */
function sourceOf({ sources, policies }: Config, path: string): ConfigSource {
  const parts = path.split('.');
  for (let length = parts.length; length > 0; length--) {
    const source = sources[parts.slice(0, length).join('.')];
    if (source !== undefined) return source;
  }
  return FILE_ONLY.test(path) && !isEmpty(path, policies) ? 'file' : 'default';
}

/** Nothing but a file can name these. */
const FILE_ONLY = /^(?:policies$|toolsets\.)/;

function isEmpty(path: string, policies: Config['policies']): boolean {
  return path === 'policies' && policies.length === 0;
}

function under(prefix: string, values: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, value as unknown]),
  );
}

function describeAgent({ agent: { name, enabled, tags }, keys }: ConfiguredAgent) {
  return { name, enabled, keys: keys.map(() => MASK), tags };
}

function describeCollector(settings: Config['telemetry']['otlp']) {
  if (settings === undefined) return { 'otlp.endpoint': null };
  const { tracesUrl, metricsUrl, headers, sampleRatio, intervalMs, serviceName } = settings;
  const names = Object.keys(headers).map((name) => [name, MASK]);
  return {
    serviceName,
    'otlp.endpoint': [tracesUrl, metricsUrl].filter((url) => url !== undefined).map(maskUrl),
    'otlp.headers': Object.fromEntries(names) as Record<string, string>,
    'otlp.traces': tracesUrl !== undefined,
    'otlp.metrics': metricsUrl !== undefined,
    'otlp.sampleRatio': sampleRatio,
    'otlp.intervalMs': intervalMs,
  };
}

function describeSingleSignOn(settings: Config['admin']['oidc']) {
  if (settings === undefined) return null;
  const { issuer, clientId, clientSecret, scopes, claim, roles, agents } = settings;
  const secret = clientSecret === undefined ? null : MASK;
  return { issuer: issuer.href, clientId, clientSecret: secret, scopes, claim: claim ?? null, roles, agents };
}

function describeConnector({ name, endpoint, auth, credentialMode, era, isolation, enabled }: Connector) {
  const common = { name, era, isolation, enabled };
  if (endpoint.transport !== 'stdio') {
    return {
      transport: endpoint.transport,
      url: maskUrl(endpoint.url),
      auth: { type: auth.type },
      credentialMode,
      ...common,
    };
  }
  const env = Object.fromEntries(Object.keys(endpoint.env).map((variable) => [variable, MASK]));
  return {
    transport: endpoint.transport,
    command: endpoint.command,
    arguments: endpoint.args.length,
    env,
    cwd: endpoint.cwd ?? null,
    pins: endpoint.pins,
    ...common,
  };
}

/** Without password and without the values of the query, which may be keys. */
function maskService(text: string): string {
  if (!URL.canParse(text) || !text.includes('://')) return text;
  const url = new URL(text);
  const user =
    url.username === '' && url.password === ''
      ? ''
      : `${url.username}${url.password === '' ? '' : `:${MASK}`}@`;
  const query = [...url.searchParams.keys()].map((name) => `${encodeURIComponent(name)}=${MASK}`).join('&');
  return `${url.protocol}//${user}${url.host}${url.pathname}${query === '' ? '' : `?${query}`}`;
}
