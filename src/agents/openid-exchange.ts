import type * as OAuth from 'oauth4webapi';
import { HubError, isHubError, type LogFields, type Logger } from '../kernel/index.js';
import type { BegunSignIn, OpenIdExchange, ProvenIdentity, SingleSignOnSettings } from './single-sign-on.js';

/** Bounded in time and size, without redirects. */
export type ProviderFetch = (
  input: string,
  init: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: URLSearchParams | null;
    readonly signal?: AbortSignal | null;
  },
) => Promise<Response>;

export interface OpenIdExchangeOptions {
  /** For this issuer, which the operator named. */
  readonly fetchFor: (issuer: URL) => ProviderFetch;
  readonly logger: Pick<Logger, 'warn'>;
}

type Library = typeof OAuth;

/** As much as for access tokens. */
const CLOCK_TOLERANCE_SECONDS = 60;
const MAX_VALUES = 500;
const TEXT = /^\P{Cc}{1,256}$/u;

/**
 * OpenID Connect with a certified library. Whatever a provider gets wrong is `oauth_refused`, what may work later is
 * `oauth_unavailable`, and nothing that it wrote is in a message.
 */
export function createOpenIdExchange({ fetchFor, logger }: OpenIdExchangeOptions): OpenIdExchange {
  const reportOf =
    ({ issuer }: SingleSignOnSettings): Report =>
    (error, message) =>
      logger.warn({ issuer: issuer.host, ...fieldsOf(error) }, message);
  return {
    begin: (settings, redirectUri, signal) =>
      explained(reportOf(settings), async (oauth) => {
        const server = await discover(oauth, settings, requestOptions(oauth, settings, fetchFor, signal));
        return toBegun(oauth, settings, server, redirectUri);
      }),
    finish(settings, begun, response, signal) {
      const report = reportOf(settings);
      return explained(report, (oauth) => {
        const options = requestOptions(oauth, settings, fetchFor, signal);
        return identify(oauth, settings, begun, response, options, report);
      });
    },
  };
}

/** Tells the operator, who sees nothing of what the person sees. */
type Report = (error: unknown, message: string) => void;

type RequestOptions = ReturnType<typeof requestOptions>;

/** Options every request of the library takes. */
function requestOptions(
  oauth: Library,
  { issuer }: SingleSignOnSettings,
  fetchFor: OpenIdExchangeOptions['fetchFor'],
  signal: AbortSignal | undefined,
) {
  return {
    [oauth.customFetch]: requiringAnswer(fetchFor(issuer)),
    // What may go unencrypted is decided by the fetch.
    [oauth.allowInsecureRequests]: true,
    ...(signal !== undefined && { signal }),
  };
}

/** A provider that has trouble of its own has not said anything yet. */
function requiringAnswer(fetch: ProviderFetch): ProviderFetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { status } = response;
    if (status < 500 && status !== 429) return response;
    await response.body?.cancel();
    throw new HubError('upstream_unavailable', `the identity provider answered ${status}`, {
      details: { status },
    });
  };
}

async function discover(
  oauth: Library,
  { issuer }: SingleSignOnSettings,
  options: RequestOptions,
): Promise<OAuth.AuthorizationServer> {
  const response = await oauth.discoveryRequest(issuer, { algorithm: 'oidc', ...options });
  return oauth.processDiscoveryResponse(issuer, response);
}

async function toBegun(
  oauth: Library,
  { issuer, clientId, scopes }: SingleSignOnSettings,
  { authorization_endpoint: endpoint }: OAuth.AuthorizationServer,
  redirectUri: string,
): Promise<BegunSignIn> {
  const url = endpoint !== undefined && URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw refused('it has no address a browser could open');
  const [state, nonce, codeVerifier] = [
    oauth.generateRandomState(),
    oauth.generateRandomNonce(),
    oauth.generateRandomCodeVerifier(),
  ];
  const parameters = {
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: [...new Set(['openid', ...scopes])].join(' '),
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { issuer: issuer.href, redirectUri, state, nonce, codeVerifier, authorizationUrl: url.href };
}

async function identify(
  oauth: Library,
  settings: SingleSignOnSettings,
  begun: BegunSignIn,
  callback: URLSearchParams,
  options: RequestOptions,
  report: Report,
): Promise<ProvenIdentity> {
  const client: OAuth.Client = {
    client_id: settings.clientId,
    [oauth.clockTolerance]: CLOCK_TOLERANCE_SECONDS,
  };
  const server = await discover(oauth, settings, options);
  // State, and the issuer where it is told (RFC 9207), before the code is shown to anybody.
  const parameters = oauth.validateAuthResponse(server, client, callback, begun.state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    clientAuthentication(oauth, settings, server),
    parameters,
    begun.redirectUri,
    begun.codeVerifier,
    options,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: begun.nonce,
    requireIdToken: true,
  });
  await oauth.validateApplicationLevelSignature(server, response, options);
  const claims = oauth.getValidatedIdTokenClaims(tokens);
  if (claims === undefined) throw refused('it did not say who signed in');
  if (!needsMore(settings, claims)) return toIdentity(settings, claims);
  const more = await userInfo(oauth, server, client, tokens.access_token, claims.sub, options).catch(
    (error: unknown) => {
      if (!isDecided(settings, claims) || isOfAnother(oauth, error)) throw error;
      report(error, 'the identity provider told no more of a person than their token says');
      return {};
    },
  );
  return toIdentity(settings, { ...more, ...claims });
}

function clientAuthentication(
  oauth: Library,
  { clientSecret }: SingleSignOnSettings,
  { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] }: OAuth.AuthorizationServer,
): OAuth.ClientAuth {
  if (clientSecret === undefined) return oauth.None();
  const isPost = !methods.includes('client_secret_basic') && methods.includes('client_secret_post');
  return (isPost ? oauth.ClientSecretPost : oauth.ClientSecretBasic)(clientSecret.reveal());
}

type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** Many providers put little into the token and the rest where it can be asked for. */
function needsMore({ claim }: SingleSignOnSettings, claims: Claims): boolean {
  return claims['email'] === undefined || (claim !== undefined && claims[claim] === undefined);
}

/** Whether the token says who somebody is here, so that only a nicer name for them is missing. */
function isDecided({ claim }: SingleSignOnSettings, claims: Claims): boolean {
  return claim !== undefined && claims[claim] !== undefined;
}

function isOfAnother(oauth: Library, error: unknown): boolean {
  return error instanceof oauth.OperationProcessingError && error.code === oauth.JSON_ATTRIBUTE_COMPARISON;
}

async function userInfo(
  oauth: Library,
  server: OAuth.AuthorizationServer,
  client: OAuth.Client,
  token: string,
  subject: string,
  options: RequestOptions,
): Promise<Readonly<Record<string, unknown>>> {
  if (server.userinfo_endpoint === undefined) return {};
  const response = await oauth.userInfoRequest(server, client, token, options);
  return oauth.processUserInfoResponse(server, client, subject, response);
}

function toIdentity({ issuer, claim }: SingleSignOnSettings, claims: Claims): ProvenIdentity {
  const { sub, email, email_verified: isVerified } = claims;
  const id = isText(email) && isVerified === true ? email : sub;
  if (!isText(id)) throw refused('it told a name that cannot be used');
  const told = claim === undefined ? [id] : [claims[claim]].flat();
  return { issuer: issuer.href, id, values: told.filter(isText).slice(0, MAX_VALUES) };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && TEXT.test(value);
}

/** Loads the library when it is needed, and tells its failures in our words. */
async function explained<Result>(report: Report, work: (oauth: Library) => Promise<Result>): Promise<Result> {
  const oauth = await import('oauth4webapi');
  try {
    return await work(oauth);
  } catch (error) {
    report(error, 'signing in with the identity provider failed');
    if (isHubError(error, 'oauth_refused')) throw error;
    if (error instanceof oauth.AuthorizationResponseError)
      throw new HubError('oauth_refused', 'the identity provider did not sign you in', { cause: error });
    if (isHubError(error, 'upstream_timeout') || isHubError(error, 'upstream_unavailable'))
      throw new HubError('oauth_unavailable', 'the identity provider does not answer: try again later', {
        cause: error,
      });
    throw new HubError('oauth_refused', 'what the identity provider answered cannot be accepted', {
      cause: error,
    });
  }
}

/** Which kind of failure; never its message, in which there may be what others wrote. */
function fieldsOf(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: 'unknown' };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  const told = error instanceof HubError ? error.details : error;
  const status = told !== undefined && 'status' in told ? told['status'] : undefined;
  return { error: code, ...(typeof status === 'number' && { status }) };
}

function refused(why: string): HubError {
  return new HubError('oauth_refused', `the identity provider cannot be used: ${why}`);
}
