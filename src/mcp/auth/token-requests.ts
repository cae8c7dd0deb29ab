import type * as oauth from 'oauth4webapi';
import type { AuthorizationServer, Client, ClientAuth, TokenEndpointResponse } from 'oauth4webapi';
import { refused } from './auth-failure.js';
import { requireAddress } from './address.js';
import { splitScopes } from './challenge.js';
import { toClientAuth, type ClientIdentity } from './client-identity.js';
import { reach, readMembers, textMember, type FetchContext, type JsonMembers } from './json-answer.js';
import { judge, toAnswer, toLibraryClient, toLibraryServer, type Endpoints } from './library-call.js';

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** Undefined: those that were asked for. */
  readonly scopes: readonly string[] | undefined;
  /** Undefined: the server does not say. */
  readonly expiresInSeconds: number | undefined;
}

export interface TokenRequest {
  readonly server: Endpoints;
  readonly client: ClientIdentity;
  readonly resource: string;
}

const WHAT = 'token endpoint';

type Library = typeof oauth;
type Parts = readonly [AuthorizationServer, Client, ClientAuth];
type Options = {
  readonly additionalParameters: Record<string, string>;
};

/** With the answer that `checkAuthorizationAnswer` let through. */
export function exchangeCode(
  request: TokenRequest,
  {
    checked,
    redirectUri,
    codeVerifier,
  }: {
    readonly checked: URLSearchParams;
    readonly redirectUri: string;
    readonly codeVerifier: string;
  },
  context: FetchContext,
): Promise<Tokens> {
  return askForTokens(request, context, {
    send: (library, [server, client, auth], options) =>
      library.authorizationCodeGrantRequest(
        server,
        client,
        auth,
        checked,
        redirectUri,
        codeVerifier,
        options,
      ),
    process: (library, [server, client], answer) =>
      library.processAuthorizationCodeResponse(server, client, answer),
  });
}

export function refreshTokens(
  request: TokenRequest,
  refreshToken: string,
  context: FetchContext,
): Promise<Tokens> {
  return askForTokens(request, context, {
    send: (library, [server, client, auth], options) =>
      library.refreshTokenGrantRequest(server, client, auth, refreshToken, options),
    process: (library, [server, client], answer) =>
      library.processRefreshTokenResponse(server, client, answer),
  });
}

/** Client credentials: the client signs in as itself. */
export function requestMachineTokens(
  request: TokenRequest,
  scopes: readonly string[],
  context: FetchContext,
): Promise<Tokens> {
  return askForTokens(request, context, {
    send: (library, [server, client, auth], { additionalParameters, ...options }) =>
      library.clientCredentialsGrantRequest(
        server,
        client,
        auth,
        { ...additionalParameters, ...(scopes.length > 0 && { scope: scopes.join(' ') }) },
        options,
      ),
    process: (library, [server, client], answer) =>
      library.processClientCredentialsResponse(server, client, answer),
  });
}

/** RFC 7009. A token the server does not know counts as revoked. */
export async function revokeToken(
  { server, client }: Omit<TokenRequest, 'resource'>,
  { token, hint }: { readonly token: string; readonly hint: 'access_token' | 'refresh_token' },
  { fetch, signal }: FetchContext,
): Promise<void> {
  const what = 'revocation endpoint';
  requireAddress(server.revocationEndpoint, what);
  const library = await import('oauth4webapi');
  const auth = await toClientAuth(client);
  const response = await reach(what, () =>
    library.revocationRequest(toLibraryServer(server), toLibraryClient(client.clientId), auth, token, {
      additionalParameters: { token_type_hint: hint },
      [library.customFetch]: (url, init) => fetch(url, { ...init, signal }),
      [library.allowInsecureRequests]: true,
    }),
  );
  await response.body?.cancel();
  await judge(what, response.status, () =>
    library.processRevocationResponse(new Response(null, { status: response.status })),
  );
}

async function askForTokens(
  { server, client, resource }: TokenRequest,
  { fetch, signal }: FetchContext,
  steps: {
    readonly send: (library: Library, parts: Parts, options: Options) => Promise<Response>;
    readonly process: (library: Library, parts: Parts, answer: Response) => Promise<TokenEndpointResponse>;
  },
): Promise<Tokens> {
  requireAddress(server.tokenEndpoint, WHAT);
  const library = await import('oauth4webapi');
  const parts: Parts = [
    toLibraryServer(server),
    toLibraryClient(client.clientId),
    await toClientAuth(client),
  ];
  const options = {
    additionalParameters: { resource },
    [library.customFetch]: (url: string, init: object) => fetch(url, { ...init, signal }),
    // The fetch decides where a connection without encryption is permitted.
    [library.allowInsecureRequests]: true,
  };
  const response = await reach(WHAT, () => steps.send(library, parts, options));
  const members = toConform(await readMembers(response, WHAT));
  // Some servers answer errors with 200.
  const status =
    response.status === 200 && 'error' in members && !('access_token' in members) ? 400 : response.status;
  const answer = await judge(WHAT, status, () => steps.process(library, parts, toAnswer(status, members)));
  return toTokens(answer);
}

const DAY = 86_400;
const CENTURY = 36_500 * DAY;

/**
 * What we use of an answer, in the form the library accepts. Times are estimates of servers: what makes no sense is left
 * out or bounded. What is said about the person is not ours to know.
 */
function toConform(members: JsonMembers): JsonMembers {
  const refreshToken = textMember(members, 'refresh_token');
  const expiresIn = toSeconds(members['expires_in'], refreshToken !== undefined);
  const scope = textMember(members, 'scope');
  return {
    ...('access_token' in members && { access_token: members['access_token'] }),
    ...('token_type' in members && { token_type: members['token_type'] }),
    ...('error' in members && { error: members['error'] }),
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    ...(expiresIn !== undefined && { expires_in: expiresIn }),
    ...(scope !== undefined && { scope }),
  };
}

/** Where it can be renewed at any time it is renewed daily; otherwise only what is beyond belief is cut: some give ten years. */
function toSeconds(value: unknown, isRenewable: boolean): number | undefined {
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof seconds !== 'number' || Number.isNaN(seconds)) return undefined;
  const whole = Math.max(0, Math.floor(seconds));
  return isRenewable || whole > CENTURY ? Math.min(whole, DAY) : whole;
}

const MAX_TOKEN = 16_384;

function toTokens(answer: TokenEndpointResponse): Tokens {
  const { access_token: accessToken, refresh_token: refreshToken, token_type: type } = answer;
  if (type !== 'bearer') throw refused('the token is of another type than bearer');
  // It becomes a header: nothing that ends one may be in it.
  if (!/^[\x21-\x7e]+$/.test(accessToken) || accessToken.length > MAX_TOKEN)
    throw refused('the token has characters or a length that a header cannot carry');
  if (refreshToken !== undefined && (!/^[\x20-\x7e]+$/.test(refreshToken) || refreshToken.length > MAX_TOKEN))
    throw refused('the refresh token has characters or a length that are not permitted');
  return {
    accessToken,
    refreshToken,
    scopes: answer.scope === undefined ? undefined : splitScopes(answer.scope),
    expiresInSeconds: answer.expires_in,
  };
}
