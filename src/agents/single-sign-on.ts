import type { AdminRole } from '../contract/index.js';
import { HubError, toAgentId, type Secret } from '../kernel/index.js';
import type { BrowserPrincipal } from './browser-session.js';

/** The identity provider people may sign in with, and whom it makes of them. */
export interface SingleSignOnSettings {
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: Secret | undefined;
  readonly scopes: readonly string[];
  /** Which claim decides; undefined: the verified e-mail address, else the subject. */
  readonly claim: string | undefined;
  readonly roles: Readonly<Record<AdminRole, readonly string[]>>;
  /** Ids of agents by what the claim says. */
  readonly agents: Readonly<Record<string, string>>;
}

/** A sign-in that was begun. Plain JSON: it is kept sealed until the answer comes. */
export interface BegunSignIn {
  readonly issuer: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly authorizationUrl: string;
}

/** What the provider said of a person, checked. */
export interface ProvenIdentity {
  readonly issuer: string;
  /** The verified e-mail address, else the subject. */
  readonly id: string;
  /** What the deciding claim says. */
  readonly values: readonly string[];
}

/** Signing in with an identity provider: OpenID Connect with authorization code and PKCE. */
export interface SingleSignOn {
  /** The provider's host, as a name for people; undefined: there is none. */
  readonly provider: string | undefined;
  configure(settings: SingleSignOnSettings | undefined): void;
  begin(redirectUri: string, signal?: AbortSignal): Promise<BegunSignIn>;
  finish(begun: BegunSignIn, response: URLSearchParams, signal?: AbortSignal): Promise<ProvenIdentity>;
  /** Whom the settings make of it; undefined: nobody. */
  principalOf(issuer: string, values: readonly string[], id: string): BrowserPrincipal | undefined;
}

/** How the settings are turned into an exchange; loaded when somebody signs in. */
export interface OpenIdExchange {
  begin(settings: SingleSignOnSettings, redirectUri: string, signal?: AbortSignal): Promise<BegunSignIn>;
  finish(
    settings: SingleSignOnSettings,
    begun: BegunSignIn,
    response: URLSearchParams,
    signal?: AbortSignal,
  ): Promise<ProvenIdentity>;
}

/** From most to least. */
const ROLES: readonly AdminRole[] = ['owner', 'operator', 'viewer'];
/** Ids of accounts have no colon, so nobody of the provider's can be one of ours. */
const PREFIX = 'oidc:';

export function createSingleSignOn(exchange: OpenIdExchange): SingleSignOn {
  let current: SingleSignOnSettings | undefined;
  const require = (): SingleSignOnSettings => {
    if (current === undefined) throw new HubError('not_found', 'no identity provider is set up here');
    return current;
  };
  return {
    get provider() {
      return current?.issuer.host;
    },
    configure(settings) {
      current = settings;
    },
    begin: async (redirectUri, signal) => exchange.begin(require(), redirectUri, signal),
    async finish(begun, response, signal) {
      const settings = require();
      if (settings.issuer.href !== begun.issuer)
        throw new HubError('oauth_refused', 'the identity provider was changed meanwhile: sign in again');
      return exchange.finish(settings, begun, response, signal);
    },
    principalOf(issuer, values, id) {
      if (current === undefined || current.issuer.href !== issuer) return undefined;
      const { roles, agents } = current;
      const role = ROLES.find((one) => roles[one].some((value) => values.includes(value)));
      if (role !== undefined) return { kind: 'admin', id: `${PREFIX}${id}`, role };
      const agent = values
        .map((value) => (Object.hasOwn(agents, value) ? agents[value] : undefined))
        .find(Boolean);
      return agent === undefined ? undefined : { kind: 'agent', id: toAgentId(agent) };
    },
  };
}
