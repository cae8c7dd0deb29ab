import type { Snapshot } from '../../../catalog/index.js';
import { inlineSecrets, maskUrl, type Connector, type ConnectorAuth } from '../../../connectors/index.js';
import type { ConnectorDetail, ConnectorView, HealthView } from '../../../contract/index.js';
import { credentialState } from '../../../credentials/index.js';
import type { ConnectorHealth } from '../../../operations/index.js';
import type { UpstreamState } from '../../../upstreams/index.js';
import { toCredentialView, type ShownCredential } from './credential-view.js';
import { stateOf, toTime } from './secret-state.js';

/** What is shown together with a connector. */
export interface ConnectorSurroundings {
  readonly health: ConnectorHealth;
  readonly traffic: UpstreamState;
  /** Where there are several processes, the one that says so. */
  readonly instance: string | undefined;
  readonly snapshot: Snapshot | undefined;
  /** Of this connector. */
  readonly credentials: readonly ShownCredential[];
  readonly now: number;
}

export function toConnectorView(
  connector: Connector,
  { snapshot, credentials, now, ...seen }: ConnectorSurroundings,
): ConnectorView {
  return {
    id: connector.id,
    name: connector.name,
    enabled: connector.enabled,
    source: connector.source,
    readOnly: connector.source !== 'stored',
    ...endpointView(connector),
    auth: authView(
      connector.auth,
      credentials.find(({ owner, isDefault }) => owner.kind === 'shared' && isDefault)?.values ?? {},
    ),
    credentialMode: connector.credentialMode,
    allowPrivateNetwork: connector.allowPrivateNetwork,
    era: connector.era,
    timeouts: connector.timeouts,
    limits: connector.limits,
    isolation: connector.isolation,
    retries: connector.retries,
    hideWhenUnhealthy: connector.hideWhenUnhealthy,
    changedTools: connector.changedTools,
    tags: [...connector.tags],
    toolTags: Object.fromEntries(Object.entries(connector.toolTags).map(([tool, tags]) => [tool, [...tags]])),
    health: toHealthView(seen),
    accounts: countStates(connector, credentials, now),
    sync: syncView(snapshot),
    version: connector.version,
    createdAt: toTime(connector.createdAt),
    updatedAt: toTime(connector.updatedAt),
  };
}

export function toConnectorDetail(
  connector: Connector,
  surroundings: ConnectorSurroundings,
): ConnectorDetail {
  return {
    ...toConnectorView(connector, surroundings),
    prompts: connector.prompts.map((prompt) => ({
      ...prompt,
      arguments: prompt.arguments.map((argument) => ({ ...argument })),
      tools: [...prompt.tools],
    })),
    credentials: surroundings.credentials.map((credential) =>
      toCredentialView(credential, connector, surroundings.now),
    ),
  };
}

function countStates(
  connector: Connector,
  credentials: readonly ShownCredential[],
  now: number,
): ConnectorView['accounts'] {
  const counts = { valid: 0, expiring: 0, needs_sign_in: 0, failed: 0 };
  for (const credential of credentials) counts[credentialState(credential, connector, now).state]++;
  return counts;
}

function endpointView({
  endpoint,
}: Connector): Pick<
  ConnectorView,
  'transport' | 'url' | 'command' | 'argCount' | 'env' | 'cwd' | 'pins' | 'idleStopMs' | 'maxLifetimeMs'
> {
  if (endpoint.transport !== 'stdio') return { transport: endpoint.transport, url: maskUrl(endpoint.url) };
  const { transport, command, args, env, cwd, pins, idleStopMs, maxLifetimeMs } = endpoint;
  const shown = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, stateOf(value)]));
  return {
    transport,
    command,
    argCount: args.length,
    env: shown,
    ...(cwd !== undefined && { cwd }),
    pins: { ...pins },
    idleStopMs,
    maxLifetimeMs,
  };
}

/** Of each secret the one that is used: the vault's before the configuration's. */
function authView(
  auth: ConnectorAuth,
  stored: Readonly<Record<string, { readonly last4: string }>>,
): ConnectorView['auth'] {
  const secrets = { ...inlineSecrets(auth), ...stored };
  switch (auth.type) {
    case 'none':
      return { type: auth.type };
    case 'bearer':
      return { type: auth.type, token: stateOf(secrets['token']) };
    case 'api_key':
      return { type: auth.type, header: auth.header, value: stateOf(secrets['value']) };
    case 'header':
      return {
        type: auth.type,
        headers: Object.fromEntries(auth.headers.map((name) => [name, stateOf(secrets[name])])),
      };
    case 'oauth':
    case 'client_credentials':
      return { type: auth.type, settings: Object.keys(auth.settings) };
  }
}

export function toHealthView({
  health: { state, reason, since, checkedAt },
  traffic,
  instance,
}: Pick<ConnectorSurroundings, 'health' | 'traffic' | 'instance'>): HealthView {
  return {
    state,
    ...(reason !== undefined && { reason }),
    since: toTime(since),
    ...(checkedAt !== undefined && { checkedAt: toTime(checkedAt) }),
    ...(instance !== undefined && { instance }),
    traffic: { ...traffic },
  };
}

function syncView(snapshot: Snapshot | undefined): ConnectorView['sync'] {
  if (snapshot === undefined) return null;
  const { takenAt, tools, prompts, resources, rejected, listedAs, upstream } = snapshot;
  const { name, version } = upstream.info;
  return {
    syncedAt: toTime(takenAt),
    tools: tools.length,
    prompts: prompts.length,
    resources: resources.length,
    rejected: rejected.length,
    listedAs,
    upstream: {
      name,
      ...(typeof version === 'string' && { version }),
      era: upstream.era,
      revision: upstream.revision,
    },
  };
}
