import type { IncomingMessage } from 'node:http';
import type {
  AccountClaims,
  Configuration,
  KoaContextWithOIDC,
  errors as providerErrors,
  interactionPolicy,
} from 'oidc-provider';
import type { AgentReader } from '../../agents/index.js';
import { toAgentId, type Clock, type TicketStore } from '../../kernel/index.js';
import type { OwnResources } from '../own-resources.js';
import { createTicketAdapter } from './ticket-adapter.js';
import type { SigningKey } from './signing-keys.js';

export interface ProviderParts {
  readonly issuer: string;
  readonly scopes: readonly string[];
  readonly registration: boolean;
  readonly keys: readonly SigningKey[];
  readonly cookieKey: string;
  readonly tickets: TicketStore;
  readonly agents: Pick<AgentReader, 'find'>;
  readonly resources: OwnResources;
  /** Fetches a client's metadata document, checked and reduced to what counts. */
  readonly fetchClient: (url: string) => Promise<Response>;
  /** Whether one may be fetched on behalf of this request. */
  readonly mayFetch: (request: IncomingMessage) => boolean;
  readonly renderError: (context: KoaContextWithOIDC, code: string, error: Error) => Promise<void>;
  readonly clock: Clock;
}

interface Library {
  readonly errors: typeof providerErrors;
  readonly interactionPolicy: typeof interactionPolicy;
}

const ACCESS_TOKEN_SECONDS = 10 * 60;
const REFRESH_TOKEN_SECONDS = 30 * 24 * 60 * 60;
const GRANT_SECONDS = 365 * 24 * 60 * 60;
const FLOW_SECONDS = 10 * 60;
const CODE_SECONDS = 60;

export const CONSENT_PATH = '/oauth/consent/';
export const ROUTES = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
} as const;

/** Authorization code with PKCE for programs on people's machines, and nothing else. */
export function providerSettings(parts: ProviderParts, library: Library): Configuration {
  return {
    adapter: (model: string) =>
      createTicketAdapter(model, {
        ...parts,
        usedUp: () => new library.errors.InvalidGrant('it was used already'),
      }),
    jwks: { keys: parts.keys },
    routes: { ...ROUTES, end_session: '/oauth/end-session' },
    cookies: cookieSettings(parts),
    scopes: [...parts.scopes, 'openid', 'offline_access'],
    claims: {},
    responseTypes: ['code'],
    subjectTypes: ['public'],
    clientAuthMethods: ['none'],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'ES256',
      application_type: 'native',
    },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    pkce: { required: () => true },
    rotateRefreshToken: (context) => requireGranted(context, library),
    issueRefreshToken: (_context, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: () => false,
    allowOmittingSingleRegisteredRedirectUri: false,
    clientBasedCORS: () => true,
    ttl: {
      AccessToken: ACCESS_TOKEN_SECONDS,
      AuthorizationCode: CODE_SECONDS,
      IdToken: ACCESS_TOKEN_SECONDS,
      RefreshToken: REFRESH_TOKEN_SECONDS,
      Grant: GRANT_SECONDS,
      Interaction: FLOW_SECONDS,
      Session: FLOW_SECONDS,
    },
    interactions: {
      url: (_context, interaction) => CONSENT_PATH + interaction.uid,
      policy: library.interactionPolicy.base(),
    },
    async findAccount(_context, sub) {
      const agent = await parts.agents.find(toAgentId(sub));
      if (agent === undefined || !agent.enabled) return undefined;
      return { accountId: sub, claims: (): AccountClaims => ({ sub }) };
    },
    // Only what the person just allowed counts; what was allowed before is for the consent page to know.
    async loadExistingGrant({ oidc }) {
      const grantId = oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : oidc.provider.Grant.find(grantId);
    },
    formats: { customizers: { jwt: addGrant } },
    features: featureSettings(parts, library),
    renderError: (context, { error: code }, error) => parts.renderError(context, code, error),
    fetch: (resource) => parts.fetchClient(resource instanceof Request ? resource.url : String(resource)),
  };
}

/** Before a refresh token is used up, which the library does first: what cannot be had must not cost the sign-in. */
function requireGranted({ oidc: { params, entities } }: KoaContextWithOIDC, { errors }: Library): true {
  const [wanted] = [params?.['resource']].flat();
  if (typeof wanted === 'string' && entities.RefreshToken?.resourceIndicators.has(wanted) !== true)
    throw new errors.InvalidTarget('it was granted for another resource');
  return true;
}

/** By which an access token is refused as soon as what it stands on is gone. */
function addGrant(_context: unknown, token: object, jwt: { payload: Record<string, unknown> }): void {
  if ('grantId' in token) jwt.payload['grant'] = token.grantId;
}

function cookieSettings({ issuer, cookieKey }: ProviderParts): Configuration['cookies'] {
  const isSecure = issuer.startsWith('https:');
  const attributes = { httpOnly: true, sameSite: 'lax', overwrite: true, signed: true } as const;
  return {
    keys: [cookieKey],
    names: {
      session: isSecure ? '__Host-crosspoint-oauth' : 'crosspoint-oauth',
      interaction: isSecure ? '__Secure-crosspoint-consent' : 'crosspoint-consent',
      resume: isSecure ? '__Secure-crosspoint-resume' : 'crosspoint-resume',
    },
    long: { ...attributes, secure: isSecure, path: '/' },
    short: { ...attributes, secure: isSecure },
  };
}

function featureSettings(
  { issuer, resources, scopes, registration, mayFetch }: ProviderParts,
  { errors }: Library,
): Configuration['features'] {
  return {
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    claimsParameter: { enabled: false },
    revocation: {
      enabled: true,
      allowedPolicy: (_context, client, token) => client.clientId === token.clientId,
    },
    registration: { enabled: registration, issueRegistrationAccessToken: false },
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      // Without a request it is for one that was let in before.
      allowFetch: (context) => context === undefined || mayFetch(context.req),
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_context, _client, oneOf) =>
        oneOf === undefined ? `${issuer}/mcp` : (oneOf[0] ?? `${issuer}/mcp`),
      useGrantedResource: () => true,
      getResourceServerInfo(_context, resource) {
        if (!resources.isOwn(resource)) throw new errors.InvalidTarget('it is no resource of this hub');
        return {
          scope: scopes.join(' '),
          audience: resource,
          accessTokenFormat: 'jwt',
          accessTokenTTL: ACCESS_TOKEN_SECONDS,
          jwt: { sign: { alg: 'ES256' } },
        };
      },
    },
  };
}
