import { createHash } from 'node:crypto';
import type { Connector } from '../connectors/index.js';
import { HubError, type AgentId, type Secret } from '../kernel/index.js';
import type { Access, CredentialOwner, CredentialStore } from './credential.js';

/** Turns credentials into what an upstream is shown. */
export interface AccessProvider {
  /** For a call of this agent. Throws `credential_required` where somebody has to supply one first. */
  accessFor(connector: Connector, agent: AgentId): Promise<Access>;
  /** For listing, in the order to try: nothing, the shared account, the given agent's. */
  listingAccesses(connector: Connector, agent?: AgentId): Promise<readonly Access[]>;
}

export const ANONYMOUS: Access = { id: 'anonymous', owner: 'anonymous', headers: {} };

export function createAccessProvider({
  credentials,
}: {
  credentials: Pick<CredentialStore, 'find'>;
}): AccessProvider {
  async function find(connector: Connector, owner: CredentialOwner): Promise<Access | undefined> {
    const values = {
      ...(owner.kind === 'shared' ? configuredValues(connector) : {}),
      ...(await credentials.find(connector.id, owner))?.values,
    };
    return toAccess(connector, owner, values);
  }

  return {
    async accessFor(connector, agent) {
      if (connector.credentialMode === 'none' || connector.auth.type === 'none') return ANONYMOUS;
      const owner: CredentialOwner =
        connector.credentialMode === 'shared' ? { kind: 'shared' } : { kind: 'agent', agent };
      const access = await find(connector, owner);
      if (access !== undefined) return access;
      const whose = owner.kind === 'shared' ? 'a shared credential' : `a credential of agent ${agent}`;
      throw new HubError(
        'credential_required',
        `connector ${connector.id} needs ${whose}: store one with "crosspoint connector connect ${connector.id}"`,
      );
    },
    async listingAccesses(connector, agent) {
      if (connector.credentialMode === 'none' || connector.auth.type === 'none') return [ANONYMOUS];
      const shared = await find(connector, { kind: 'shared' });
      const own = agent === undefined ? undefined : await find(connector, { kind: 'agent', agent });
      return [ANONYMOUS, shared, own].filter((access) => access !== undefined);
    },
  };
}

/** Values an operator gave in a file or the environment. */
function configuredValues({ auth }: Connector): Record<string, Secret> {
  switch (auth.type) {
    case 'bearer':
      return auth.token === undefined ? {} : { token: auth.token };
    case 'api_key':
      return auth.value === undefined ? {} : { value: auth.value };
    case 'header':
      return { ...auth.values };
    default:
      return {};
  }
}

function toAccess(
  connector: Connector,
  owner: CredentialOwner,
  values: Readonly<Record<string, Secret>>,
): Access | undefined {
  const headers = toHeaders(connector, values);
  if (headers === undefined) return undefined;
  // Pools and caches are keyed by identity; the digest changes with the secret and reveals nothing of it.
  const digest = createHash('sha256').update(JSON.stringify(headers)).digest('base64url').slice(0, 22);
  return owner.kind === 'shared'
    ? { id: `shared:${digest}`, owner: 'shared', headers }
    : { id: `agent:${owner.agent}:${digest}`, owner: owner.agent, headers };
}

/** Undefined while a value is missing. */
function toHeaders(
  { auth }: Connector,
  values: Readonly<Record<string, Secret>>,
): Record<string, string> | undefined {
  switch (auth.type) {
    case 'none':
      return {};
    case 'bearer':
      return values['token'] && { authorization: `Bearer ${values['token'].reveal()}` };
    case 'api_key':
      return values['value'] && { [auth.header.toLowerCase()]: values['value'].reveal() };
    case 'header': {
      const named = auth.headers.map((name) => [name.toLowerCase(), values[name]?.reveal()] as const);
      return named.every(([, value]) => value !== undefined)
        ? (Object.fromEntries(named) as Record<string, string>)
        : undefined;
    }
    case 'oauth':
    case 'client_credentials':
      return values['access_token'] && { authorization: `Bearer ${values['access_token'].reveal()}` };
  }
}
