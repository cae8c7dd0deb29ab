import type { ConnectorView } from '../api/connectors.js';
import { lacksCredential } from '../connectors/connector-state.js';
import type { Tone } from '../shared/badge.js';

export interface Need {
  readonly tone: Tone;
  readonly label: string;
  readonly text: string;
  readonly action: 'sync' | 'credential';
}

/** What a connector lacks to be of use; undefined where all is well, or it is switched off on purpose. */
export function connectorNeeds(connector: ConnectorView): Need | undefined {
  const { enabled, credentialMode, health, sync } = connector;
  if (!enabled) return undefined;
  if (lacksCredential(connector))
    return {
      tone: 'warn',
      ...(connector.auth.type === 'oauth'
        ? { label: 'Needs sign-in', text: 'Somebody has to sign in at the service.' }
        : { label: 'Needs a credential', text: 'All agents share a credential that is not stored yet.' }),
      action: 'credential',
    };
  if (health.state === 'unhealthy' || health.state === 'failed')
    return {
      tone: 'bad',
      label: health.state === 'failed' ? 'Failed' : 'Unhealthy',
      text: health.reason ?? 'The upstream does not answer.',
      action: 'sync',
    };
  if (sync === null && credentialMode !== 'per_agent')
    return {
      tone: 'warn',
      label: 'Not synced yet',
      text: 'Nothing is known of what it offers.',
      action: 'sync',
    };
  return undefined;
}
