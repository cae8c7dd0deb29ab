import { AuthFailure, refused } from './auth-failure.js';
import { chooseAuthMethod, type TokenAuthMethod } from './client-identity.js';
import { reach, readMembers, textMember, type FetchContext, type JsonMembers } from './json-answer.js';
import { judge, toAnswer, toLibraryServer } from './library-call.js';
import type { ServerMetadata } from './server-metadata.js';

export interface RegisteredClient {
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly method: 'none' | 'client_secret_basic' | 'client_secret_post';
  /** Seconds since 1970; undefined: the secret does not end. */
  readonly secretExpiresAt: number | undefined;
}

const WHAT = 'registration endpoint';
const METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const;
const MAX_TEXT = 4_096;

/** Dynamic registration (RFC 7591) for one redirect address. */
export async function registerClient(
  server: ServerMetadata,
  { redirectUri, clientName }: { readonly redirectUri: string; readonly clientName: string },
  { fetch, signal }: FetchContext,
): Promise<RegisteredClient> {
  const method = methodFor(server, redirectUri);
  const library = await import('oauth4webapi');
  const response = await reach(WHAT, () =>
    library.dynamicClientRegistrationRequest(
      toLibraryServer(server),
      {
        client_name: clientName,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: method,
        // Demanded since a server may refuse loopback addresses to web applications.
        application_type: isLoopback(redirectUri) ? 'native' : 'web',
      },
      {
        [library.customFetch]: (url, init) => fetch(url, { ...init, signal }),
        [library.allowInsecureRequests]: true,
      },
    ),
  );
  const members = await readMembers(response, WHAT);
  // Servers say 200 for 201, and leave out the end of a secret that has none.
  const status = response.status === 200 ? 201 : response.status;
  const client = await judge(WHAT, status, () =>
    library.processDynamicClientRegistrationResponse(toAnswer(status, toConform(members))),
  );
  return toRegistered(client.client_id, textMember(members, 'client_secret'), members, method);
}

function toConform(members: JsonMembers): JsonMembers {
  const { client_id, error, client_secret_expires_at } = members;
  const secret = textMember(members, 'client_secret');
  return {
    ...(client_id !== undefined && { client_id }),
    ...(error !== undefined && { error }),
    ...(secret !== undefined && {
      client_secret: secret,
      client_secret_expires_at: endOf(client_secret_expires_at),
    }),
  };
}

function toRegistered(
  clientId: string,
  clientSecret: string | undefined,
  members: JsonMembers,
  asked: RegisteredClient['method'],
): RegisteredClient {
  if (!isPrintable(clientId) || (clientSecret !== undefined && !isPrintable(clientSecret)))
    throw refused('the registered client has an identifier or a secret that is too long or not printable');
  const told = textMember(members, 'token_endpoint_auth_method');
  const method = told === undefined ? asked : METHODS.find((known) => known === told);
  if (method === undefined)
    throw refused('the server registered the client with a method it did not ask for');
  if (clientSecret === undefined || method === 'none')
    return { clientId, clientSecret: undefined, method: 'none', secretExpiresAt: undefined };
  const ends = endOf(members['client_secret_expires_at']);
  return { clientId, clientSecret, method, secretExpiresAt: ends === 0 ? undefined : ends };
}

/** RFC 6749 appendix A.1 and A.2. */
function isPrintable(text: string): boolean {
  return text.length <= MAX_TEXT && /^[\x20-\x7e]+$/.test(text);
}

function endOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

/** On a person's own machine nothing stays secret; elsewhere a secret is better than none. */
function methodFor({ tokenAuthMethods }: ServerMetadata, redirectUri: string): RegisteredClient['method'] {
  const secrets = ['client_secret_basic', 'client_secret_post'] as const;
  const ours: readonly TokenAuthMethod[] = isLoopback(redirectUri)
    ? ['none', ...secrets]
    : [...secrets, 'none'];
  const method = chooseAuthMethod(ours, tokenAuthMethods);
  if (method === undefined || method === 'private_key_jwt')
    throw new AuthFailure(
      'refused',
      'the authorization server understands none of the ways in which a registered client can sign in',
    );
  return method;
}

function isLoopback(redirectUri: string): boolean {
  const { hostname } = new URL(redirectUri);
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}
