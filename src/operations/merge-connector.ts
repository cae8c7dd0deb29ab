import {
  parseConnector,
  type Connector,
  type ConnectorAuth,
  type Endpoint,
  type OAuthSettings,
} from '../connectors/index.js';
import type { ConnectorPatch } from '../contract/index.js';
import { invalidField, type Secret } from '../kernel/index.js';

type Fields = Readonly<Record<string, unknown>>;

/**
 * A stored connector with a change, checked like a new one. Of its credentials it has only what the change gives; the
 * others are in the vault and stay there. Variables of a process are kept where the change does not give others.
 */
export function mergeConnector(before: Connector, patch: ConnectorPatch, now: number): Connector {
  requireSameKind(before, patch);
  const after = parseConnector(before.id, toInput(before, patch), { source: 'stored', now, before });
  return { ...after, endpoint: keepEnvironment(before.endpoint, after.endpoint, patch) };
}

/** A process and an address have nothing in common that could be kept. */
function requireSameKind({ endpoint }: Connector, { transport, type }: ConnectorPatch): void {
  const wanted = transport ?? type;
  if (wanted === undefined || (wanted === 'stdio') === (endpoint.transport === 'stdio')) return;
  throw invalidField(
    transport === undefined ? 'type' : 'transport',
    'a connector cannot change between stdio and HTTP: remove it and add it anew',
  );
}

function toInput(before: Connector, patch: ConnectorPatch): Fields {
  const { timeouts, limits, auth, headers, env, toolTags, transport, type, enabled, disabled, ...plain } =
    patch;
  const { name, era, isolation, retries, hideWhenUnhealthy, changedTools, prompts, tags, endpoint } = before;
  return {
    name,
    era,
    isolation,
    retries,
    hideWhenUnhealthy,
    changedTools,
    prompts,
    tags,
    ...(endpoint.transport === 'stdio' ? commandOf(endpoint, env) : addressOf(before, auth, headers)),
    // Given or not, a field of the other kind must be seen, so that it is refused.
    ...(endpoint.transport === 'stdio' ? { auth, headers } : { env }),
    ...plain,
    ...(transport === undefined && type !== undefined
      ? { type }
      : { transport: transport ?? endpoint.transport }),
    timeouts: { ...ownTimeouts(before), ...timeouts },
    limits: { ...ownLimits(before), ...limits },
    toolTags: withoutNulls({ ...before.toolTags, ...toolTags }),
    enabled: enabled ?? (disabled === undefined ? before.enabled : !disabled),
  };
}

/** A process has no connection to wait for or to make again, and may not be given one. */
function ownTimeouts({ endpoint, timeouts: { connectMs, ...others } }: Connector): Fields {
  return endpoint.transport === 'stdio' ? others : { connectMs, ...others };
}

function ownLimits({ endpoint, limits }: Connector): Fields {
  const { sseReconnects, memoryBytes, cpuSeconds, processes, ...others } = limits;
  return endpoint.transport === 'stdio'
    ? { memoryBytes, cpuSeconds, processes, ...others }
    : { sseReconnects, ...others };
}

function commandOf(endpoint: Extract<Endpoint, { transport: 'stdio' }>, env: ConnectorPatch['env']): Fields {
  const { command, args, cwd, pins, idleStopMs, maxLifetimeMs } = endpoint;
  const given = Object.entries(env ?? {}).filter(
    ([name, value]) => value !== null && (value !== '' || endpoint.env[name] === undefined),
  );
  return { command, args, cwd, pins, idleStopMs, maxLifetimeMs, env: Object.fromEntries(given) };
}

function addressOf(
  { endpoint, auth, credentialMode, allowPrivateNetwork }: Connector,
  patch: ConnectorPatch['auth'],
  headers: ConnectorPatch['headers'],
): Fields {
  if (patch !== undefined && headers !== undefined)
    throw invalidField('headers', 'use either headers or auth');
  const change: Fields = headers === undefined ? (patch ?? {}) : { type: 'header', headers };
  const type = change['type'] ?? auth.type;
  return {
    ...('url' in endpoint && { url: endpoint.url }),
    allowPrivateNetwork,
    auth: type === auth.type ? mergeAuth(auth, change) : withoutBlanks(change),
    // Where authentication begins or ends the mode of before cannot stay.
    ...((type === 'none') === (auth.type === 'none') && { credentialMode }),
  };
}

function mergeAuth(auth: ConnectorAuth, change: Fields): Fields {
  switch (auth.type) {
    case 'none':
    case 'bearer':
      return withoutBlanks({ ...change, type: auth.type });
    case 'api_key':
      return withoutBlanks({ header: auth.header, ...change, type: auth.type });
    case 'header':
      return { ...change, type: auth.type, headers: mergeHeaders(auth.headers, change['headers']) };
    case 'oauth':
    case 'client_credentials':
      return withoutNulls({
        ...settingsOf(auth.settings, change),
        ...withoutBlanks(change),
        type: auth.type,
      });
  }
}

/** Names are those of before and those given; null takes one away, a blank value leaves it as it is. */
function mergeHeaders(names: readonly string[], given: unknown): unknown {
  if (given !== undefined && (typeof given !== 'object' || given === null)) return given;
  const merged = new Map<string, unknown>(names.map((name) => [name, null]));
  for (const [name, value] of Object.entries(given ?? {})) {
    const known = names.find((other) => other.toLowerCase() === name.toLowerCase()) ?? name;
    if (value === null) merged.delete(known);
    else merged.set(known, value === '' ? null : value);
  }
  return Object.fromEntries(merged);
}

function keepEnvironment(before: Endpoint, after: Endpoint, { env }: ConnectorPatch): Endpoint {
  if (before.transport !== 'stdio' || after.transport !== 'stdio') return after;
  const kept: (readonly [string, Secret])[] = Object.entries(before.env).filter(
    ([name]) => env?.[name] !== null,
  );
  return { ...after, env: { ...Object.fromEntries(kept), ...after.env } };
}

/** As they were written. Secrets belong to the client they were given for and do not go over to another. */
function settingsOf({ clientSecret, privateKey, ...plain }: OAuthSettings, { clientId }: Fields): Fields {
  const isSameClient = clientId === undefined || clientId === '' || clientId === plain.clientId;
  return {
    ...plain,
    ...(isSameClient && clientSecret !== undefined && { clientSecret: clientSecret.reveal() }),
    ...(isSameClient && privateKey !== undefined && { privateKey: privateKey.reveal() }),
  };
}

function withoutBlanks(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
}

function withoutNulls(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
