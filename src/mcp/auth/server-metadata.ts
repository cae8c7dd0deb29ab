import { requireAddress } from './address.js';
import { AuthFailure, refused } from './auth-failure.js';
import { getDocument, listMember, textMember, type FetchContext, type JsonMembers } from './json-answer.js';

/** Of RFC 8414 and OpenID Connect Discovery, what we use. Addresses were checked, not whether they may be reached. */
export interface ServerMetadata {
  /** Exactly as published. */
  readonly issuer: string;
  readonly authorizationEndpoint: string | undefined;
  readonly tokenEndpoint: string | undefined;
  readonly registrationEndpoint: string | undefined;
  readonly revocationEndpoint: string | undefined;
  /** Undefined: the server does not say. */
  readonly tokenAuthMethods: readonly string[] | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly challengeMethods: readonly string[] | undefined;
  /** RFC 9207: answers name the issuer. */
  readonly issuerInAnswer: boolean;
  /** Whether a client may be known by the address of its metadata document. */
  readonly clientDocuments: boolean;
}

const WHAT = 'authorization server metadata';
const RFC_8414 = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';

/**
 * In the order of the specification. A document of an issuer that is not wanted is not used; undefined where there is
 * none at all. Issuers are compared as text, without any normalisation (RFC 8414 section 3.3).
 */
export async function discoverServer(
  address: string,
  context: FetchContext,
  isWanted: (issuer: string) => boolean = (issuer) => issuer === address,
): Promise<ServerMetadata | undefined> {
  const url = requireAddress(address, 'authorization server');
  if (url.search !== '') throw refused('the address of the authorization server contains a query');
  let problem: AuthFailure | undefined;
  for (const candidate of candidates(url)) {
    try {
      const document = await getDocument(candidate, WHAT, context);
      if (document.state === 'found') return toMetadata(document.members, isWanted);
    } catch (error) {
      if (!(error instanceof AuthFailure) || error.cause !== undefined) throw error;
      // Another address may have the right one; if none has, the first problem is what to tell.
      if (problem === undefined || problem.kind === 'unavailable') problem = error;
    }
  }
  if (problem !== undefined) throw problem;
  return undefined;
}

/** The defaults for servers without metadata (revision 2025-03-26, "Fallbacks for Servers without Metadata Discovery"). */
export function defaultEndpoints(origin: string): ServerMetadata {
  return {
    ...NOTHING_KNOWN,
    issuer: origin,
    authorizationEndpoint: `${origin}/authorize`,
    tokenEndpoint: `${origin}/token`,
    registrationEndpoint: `${origin}/register`,
  };
}

export const NOTHING_KNOWN: Omit<ServerMetadata, 'issuer'> = {
  authorizationEndpoint: undefined,
  tokenEndpoint: undefined,
  registrationEndpoint: undefined,
  revocationEndpoint: undefined,
  tokenAuthMethods: undefined,
  scopes: undefined,
  challengeMethods: undefined,
  issuerInAnswer: false,
  clientDocuments: false,
};

function candidates({ origin, pathname }: URL): readonly string[] {
  const path = pathname.replace(/\/$/, '');
  return path === ''
    ? [`${origin}${RFC_8414}`, `${origin}${OPENID}`]
    : [`${origin}${RFC_8414}${path}`, `${origin}${OPENID}${path}`, `${origin}${path}${OPENID}`];
}

function toMetadata(members: JsonMembers, isWanted: (issuer: string) => boolean): ServerMetadata {
  const issuer = textMember(members, 'issuer');
  if (issuer === undefined || !isWanted(issuer))
    throw refused(`the ${WHAT} is of another issuer than the one it was asked for`);
  const endpoint = (name: string, what: string): string | undefined =>
    members[name] === undefined ? undefined : requireAddress(members[name], what).href;
  return {
    issuer,
    authorizationEndpoint: endpoint('authorization_endpoint', 'authorization endpoint'),
    tokenEndpoint: endpoint('token_endpoint', 'token endpoint'),
    registrationEndpoint: endpoint('registration_endpoint', 'registration endpoint'),
    revocationEndpoint: endpoint('revocation_endpoint', 'revocation endpoint'),
    tokenAuthMethods: listMember(members, 'token_endpoint_auth_methods_supported'),
    scopes: listMember(members, 'scopes_supported'),
    challengeMethods: listMember(members, 'code_challenge_methods_supported') ?? [],
    issuerInAnswer: members['authorization_response_iss_parameter_supported'] === true,
    clientDocuments: members['client_id_metadata_document_supported'] === true,
  };
}
