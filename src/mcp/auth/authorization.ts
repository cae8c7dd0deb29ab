import { AuthFailure, refused, toServerError } from './auth-failure.js';
import { requireAddress } from './address.js';
import type { AuthFetch } from './json-answer.js';
import { toLibraryClient, toLibraryServer } from './library-call.js';
import type { ServerMetadata } from './server-metadata.js';

export interface AuthorizationRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  /** Beyond those of the specification. */
  readonly more?: Readonly<Record<string, string>> | undefined;
}

export interface BegunAuthorization {
  readonly url: string;
  /** 256 random bits each. */
  readonly state: string;
  readonly codeVerifier: string;
}

/**
 * Refuses servers that do not promise to check the proof key (PKCE, S256), or cannot do their part. With the fetch also those
 * whose code could never be used: nobody is sent there first.
 */
export function requireUsable(
  { authorizationEndpoint, tokenEndpoint, challengeMethods }: ServerMetadata,
  fetch?: Pick<AuthFetch, 'requirePermitted'>,
): void {
  if (challengeMethods !== undefined && !challengeMethods.includes('S256'))
    throw refused('the authorization server does not offer PKCE with S256');
  requireReachable(authorizationEndpoint, 'authorization endpoint', fetch);
  requireReachable(tokenEndpoint, 'token endpoint', fetch);
}

function requireReachable(
  address: string | undefined,
  what: string,
  fetch: Pick<AuthFetch, 'requirePermitted'> | undefined,
): void {
  const url = requireAddress(address, what);
  try {
    fetch?.requirePermitted?.(url);
  } catch (cause) {
    throw new AuthFailure('refused', `the address of the ${what} is not used`, { cause });
  }
}

/** The address to send a person to. */
export async function beginAuthorization(
  server: ServerMetadata,
  { clientId, redirectUri, resource, scopes, more = {} }: AuthorizationRequest,
): Promise<BegunAuthorization> {
  requireUsable(server);
  const url = requireAddress(server.authorizationEndpoint, 'authorization endpoint');
  const library = await import('oauth4webapi');
  const state = library.generateRandomState();
  const codeVerifier = library.generateRandomCodeVerifier();
  const parameters = {
    ...(scopes.includes('offline_access') && { prompt: 'consent' }),
    ...more,
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: await library.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    resource,
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url: url.href, state, codeVerifier };
}

export interface AuthorizationAnswer {
  /** What came to the redirect address. */
  readonly parameters: URLSearchParams;
  readonly issuer: string;
  readonly issuerInAnswer: boolean;
  readonly clientId: string;
  readonly state: string;
}

/** Throws unless it is the answer to this request, from this issuer, with a code. What it returns may be exchanged. */
export async function checkAuthorizationAnswer(answer: AuthorizationAnswer): Promise<URLSearchParams> {
  const { parameters, issuer, issuerInAnswer, clientId, state } = answer;
  const library = await import('oauth4webapi');
  try {
    const checked = library.validateAuthResponse(
      toLibraryServer({ issuer, issuerInAnswer }),
      toLibraryClient(clientId),
      parameters,
      state,
    );
    if (!checked.get('code')) throw refused('the answer of the authorization server has no code');
    return checked;
  } catch (error) {
    if (error instanceof AuthFailure) throw error;
    if (error instanceof library.AuthorizationResponseError) throw denial(error.error);
    throw refused(problemOf(answer));
  }
}

function denial(word: string): AuthFailure {
  const serverError = toServerError(word);
  const isTemporary = serverError === 'temporarily_unavailable' || serverError === 'server_error';
  const message =
    serverError === 'access_denied'
      ? 'access was denied at the authorization server'
      : `the authorization server answers with an error${serverError === undefined ? '' : ` (${serverError})`}`;
  return new AuthFailure(isTemporary ? 'unavailable' : 'rejected', message, { serverError });
}

/** The library says what is wrong in words we do not repeat; this says it in ours. */
function problemOf({ parameters, issuer, issuerInAnswer, state }: AuthorizationAnswer): string {
  const issuers = parameters.getAll('iss');
  if (issuerInAnswer && issuers.length === 0)
    return 'the answer does not name its issuer although the authorization server promises it';
  if (issuers.some((named) => named !== issuer))
    return 'the answer names another issuer than the one that was asked';
  if (parameters.getAll('state').some((given) => given !== state) || !parameters.has('state'))
    return 'the answer does not belong to this request';
  return 'the answer of the authorization server is not acceptable';
}
