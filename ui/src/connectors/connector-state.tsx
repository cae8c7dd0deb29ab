import type { ConnectorView } from '../api/connectors.js';
import { Badge, type Tone } from '../shared/badge.js';

export interface ShownState {
  readonly tone: Tone;
  readonly label: string;
  readonly reason?: string;
}

/** One word for how a connector is. */
export function stateOf(connector: ConnectorView, syncing = false): ShownState {
  if (syncing) return { tone: 'accent', label: 'Syncing…' };
  if (!connector.enabled) return { tone: 'plain', label: 'Disabled' };
  if (lacksCredential(connector)) {
    const isOAuth = connector.auth.type === 'oauth';
    return { tone: 'warn', label: isOAuth ? 'Needs sign-in' : 'Needs a credential' };
  }
  const { state, reason } = connector.health;
  if (state === 'unhealthy' || state === 'failed')
    return {
      tone: 'bad',
      label: state === 'failed' ? 'Failed' : 'Unhealthy',
      ...(reason !== undefined && { reason }),
    };
  if (connector.sync === null) return { tone: 'warn', label: 'Not synced yet' };
  return state === 'healthy'
    ? { tone: 'good', label: 'Healthy' }
    : { tone: 'plain', label: 'Not checked yet' };
}

/** Whether a person has to do something before it can be used: store a credential, or sign in. */
export function lacksCredential({ auth, credentialMode, accounts }: ConnectorView): boolean {
  if (accounts.needs_sign_in > 0) return true;
  if (credentialMode !== 'shared') return false;
  switch (auth.type) {
    case 'bearer':
      return !auth.token.set;
    case 'api_key':
      return !auth.value.set;
    case 'header':
      return Object.values(auth.headers).some(({ set }) => !set);
    case 'oauth':
      return accounts.valid + accounts.expiring + accounts.failed === 0;
    case 'client_credentials':
    case 'none':
      return false;
  }
}

export function StateBadge({
  connector,
  syncing = false,
}: {
  readonly connector: ConnectorView;
  readonly syncing?: boolean;
}) {
  const { tone, label } = stateOf(connector, syncing);
  return <Badge tone={tone}>{label}</Badge>;
}

const TRANSPORTS: Readonly<Record<ConnectorView['transport'], string>> = {
  streamable_http: 'HTTP',
  sse: 'HTTP+SSE',
  stdio: 'Process',
};

/** How it is reached, and the era its server speaks. */
export function wayOf({ transport, sync }: ConnectorView): string {
  return [TRANSPORTS[transport], sync?.upstream.era].filter((part) => part !== undefined).join(', ');
}
