import type {
  AccountFlow,
  BegunConnection,
  Credential,
  GrantedTokens,
  OAuthGrant,
} from '../../src/credentials/index.js';
import type { Connector } from '../../src/connectors/index.js';
import { HubError, randomToken, Secret, systemClock, type Clock } from '../../src/kernel/index.js';

/** An authorization server that a test plays: rotates refresh tokens, and does what it is told otherwise. */
export interface ScriptedAccountFlow extends AccountFlow {
  /** Token requests so far, by kind. */
  readonly calls: { begin: number; finish: number; refresh: number; machine: number; revoke: number };
  /** Refresh tokens that were used twice. */
  reused: number;
  readonly revoked: Credential[];
  /** Throw or wait here. */
  onRefresh: (credential: Credential) => void | Promise<void>;
  onMachine: () => void | Promise<void>;
  lifeMs: number | undefined;
  rotates: boolean;
  scopes: readonly string[];
}

const ISSUER = 'https://auth.example';

export function createScriptedAccountFlow(clock: Clock = systemClock): ScriptedAccountFlow {
  const used = new Set<string>();
  let serial = 0;

  function granted(
    flow: ScriptedAccountFlow,
    connector: Connector,
    more: Partial<OAuthGrant> = {},
  ): GrantedTokens {
    const now = clock.now();
    const resource = connector.endpoint.transport === 'stdio' ? '' : connector.endpoint.url;
    return {
      values: { access_token: new Secret(`canary-access-${++serial}`) },
      grant: {
        issuer: ISSUER,
        resource,
        clientId: 'client',
        scopes: flow.scopes,
        obtainedAt: now,
        expiresAt: flow.lifeMs === undefined ? undefined : now + flow.lifeMs,
        problem: undefined,
        ...more,
      },
    };
  }

  const withRefresh = (tokens: GrantedTokens): GrantedTokens => ({
    ...tokens,
    values: { ...tokens.values, refresh_token: new Secret(`canary-refresh-${++serial}`) },
  });

  const flow: ScriptedAccountFlow = {
    calls: { begin: 0, finish: 0, refresh: 0, machine: 0, revoke: 0 },
    reused: 0,
    revoked: [],
    onRefresh: () => {},
    onMachine: () => {},
    lifeMs: 3_600_000,
    rotates: true,
    scopes: ['read'],
    async begin({ connector, redirectUri, before }): Promise<BegunConnection> {
      flow.calls.begin++;
      const scopes = before?.scopes ?? [];
      const state = randomToken();
      const url = new URL(`${ISSUER}/authorize`);
      url.search = new URLSearchParams({
        state,
        redirect_uri: redirectUri,
        scope: scopes.join(' '),
      }).toString();
      const { grant } = granted(flow, connector);
      return {
        issuer: ISSUER,
        resource: grant.resource,
        clientId: 'client',
        redirectUri,
        scopes,
        state,
        codeVerifier: 'canary-verifier',
        authorizationUrl: url.href,
        tokenEndpoint: `${ISSUER}/token`,
        issuerInAnswer: true,
      };
    },
    async finish(connector, begun, response) {
      if (response.has('error')) throw new HubError('credential_required', 'the sign-in was declined');
      if (response.get('iss') !== ISSUER)
        throw new HubError('oauth_refused', 'the answer came from another authorization server');
      flow.calls.finish++;
      const scopes = [...new Set([...flow.scopes, ...begun.scopes])];
      return withRefresh(granted(flow, connector, { scopes }));
    },
    async refresh(connector, credential) {
      flow.calls.refresh++;
      await flow.onRefresh(credential);
      const token = credential.values['refresh_token']?.reveal() ?? '';
      if (used.has(token)) {
        flow.reused++;
        throw new HubError('credential_required', 'sign in again');
      }
      const tokens = granted(flow, connector, { scopes: credential.grant?.scopes ?? [] });
      if (!flow.rotates) return tokens;
      used.add(token);
      return withRefresh(tokens);
    },
    async authorizeMachine(connector) {
      flow.calls.machine++;
      await flow.onMachine();
      return granted(flow, connector);
    },
    async revoke(_connector, credential) {
      flow.calls.revoke++;
      flow.revoked.push(credential);
      return true;
    },
  };
  return flow;
}
