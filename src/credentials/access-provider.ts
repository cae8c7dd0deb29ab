import { createHash } from 'node:crypto';
import { inlineSecrets, isOAuth, type Connector } from '../connectors/index.js';
import { HubError, type AgentId, type Secret } from '../kernel/index.js';
import type { Access, CredentialOwner, CredentialStore } from './credential.js';
import type { TokenKeeper } from './token-keeper.js';

/** Turns credentials into what an upstream is shown. */
export interface AccessProvider {
  /** For a call of this agent. Throws `credential_required` where somebody has to supply one first. */
  accessFor(connector: Connector, agent: AgentId): Access | Promise<Access>;
  /**
   * For listing, in the order to try: the shared account, to which more may be offered than to strangers; nothing; the
   * given agent's, whose list everybody is shown.
   */
  listingAccesses(connector: Connector, agent?: AgentId): Promise<readonly Access[]>;
  /**
   * The upstream refused `shown`, which were the headers of `access`. True where they are others now, so that it is worth
   * one more try. Throws where a person has to sign in, or renewal has to wait.
   */
  renew(
    connector: Connector,
    access: Access,
    shown: Access['headers'],
    challenge: string | undefined,
  ): Promise<boolean>;
  /** The upstream refused even what was renewed. Answers the failure to report; undefined: what the upstream said. */
  distrust(connector: Connector, access: Access): Promise<Error | undefined>;
  /** The upstream may want more than was granted. Answers the failure to report; undefined: what the upstream said. */
  widen(connector: Connector, access: Access, challenge: string): Promise<Error | undefined>;
}

export const ANONYMOUS: Access = { id: 'anonymous', owner: 'anonymous', headers: {} };

const SHARED: CredentialOwner = { kind: 'shared' };

export function createAccessProvider({
  credentials,
  tokens,
  keychain,
}: {
  credentials: Pick<CredentialStore, 'find'>;
  tokens: Pick<TokenKeeper, 'accessFor' | 'findAccess' | 'renew' | 'distrust' | 'widen'>;
  /** Without it, references to the keychain are sent as they are written. */
  keychain?: { resolve(values: Readonly<Record<string, Secret>>): Readonly<Record<string, Secret>> };
}): AccessProvider {
  async function find(connector: Connector, owner: CredentialOwner): Promise<Access | undefined> {
    if (isOAuth(connector.auth)) return tokens.findAccess(connector, owner);
    const values = {
      ...(owner.kind === 'shared' ? inlineSecrets(connector.auth) : {}),
      ...(await credentials.find(connector.id, owner))?.values,
    };
    return toAccess(connector, owner, keychain === undefined ? values : keychain.resolve(values));
  }

  async function stored(connector: Connector, owner: CredentialOwner): Promise<Access> {
    const access = await find(connector, owner);
    if (access !== undefined) return access;
    const [whose, option] =
      owner.kind === 'shared'
        ? ['a shared credential', '']
        : [`a credential of agent ${owner.agent}`, ` --agent ${owner.agent}`];
    throw new HubError(
      'credential_required',
      `connector ${connector.id} needs ${whose}: store one with "crosspoint connector connect ${connector.id}${option}"`,
    );
  }

  return {
    accessFor(connector, agent) {
      if (connector.credentialMode === 'none' || connector.auth.type === 'none') return ANONYMOUS;
      const owner: CredentialOwner =
        connector.credentialMode === 'shared' ? SHARED : { kind: 'agent', agent };
      return isOAuth(connector.auth) ? tokens.accessFor(connector, owner) : stored(connector, owner);
    },
    async listingAccesses(connector, agent) {
      if (connector.credentialMode === 'none' || connector.auth.type === 'none') return [ANONYMOUS];
      const shared = await find(connector, SHARED);
      const own = agent === undefined ? undefined : await find(connector, { kind: 'agent', agent });
      return [shared, ANONYMOUS, own].filter((access) => access !== undefined);
    },
    renew: (connector, access, shown, challenge) => tokens.renew(connector, access, shown, challenge),
    distrust: (connector, access) => tokens.distrust(connector, access),
    widen: (connector, access, challenge) => tokens.widen(connector, access, challenge),
  };
}

/** What an upstream is shown where all of it was written beside its address; undefined while something is missing. */
export function configuredHeaders(connector: Connector): Readonly<Record<string, string>> | undefined {
  return toHeaders(connector, inlineSecrets(connector.auth));
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
    case 'none':
    case 'oauth':
    case 'client_credentials':
      return {};
  }
}
