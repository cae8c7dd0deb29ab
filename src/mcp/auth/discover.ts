import { requireAddress, toResource } from './address.js';
import { AuthFailure, refused } from './auth-failure.js';
import type { FetchContext } from './json-answer.js';
import { discoverResource, type ResourceMetadata } from './resource-metadata.js';
import { defaultEndpoints, discoverServer, NOTHING_KNOWN, type ServerMetadata } from './server-metadata.js';

/** What an operator said instead of the servers. */
export interface Overrides {
  readonly issuer?: string | undefined;
  readonly authorizationEndpoint?: string | undefined;
  readonly tokenEndpoint?: string | undefined;
  readonly registrationEndpoint?: string | undefined;
  readonly revocationEndpoint?: string | undefined;
  readonly resource?: string | undefined;
}

export interface Discovery {
  readonly server: ServerMetadata;
  /** What tokens are asked for (RFC 8707). */
  readonly resource: string;
  readonly resourceScopes: readonly string[] | undefined;
}

export interface DiscoveryRequest {
  readonly serverUrl: URL;
  /** Where the server's challenge says its metadata is. */
  readonly announced?: string | undefined;
  readonly overrides: Overrides;
  /** Whether a person will be sent to the authorization server. */
  readonly needsPerson: boolean;
}

/** From the server's address to the endpoints of its authorization server. */
export async function discover(request: DiscoveryRequest, context: FetchContext): Promise<Discovery> {
  const { serverUrl, overrides, needsPerson } = request;
  if (isSettled(overrides, needsPerson)) {
    const server = withOverrides({ ...NOTHING_KNOWN, issuer: settledIssuer(overrides) }, overrides);
    return { server, resource: overrides.resource ?? toResource(serverUrl), resourceScopes: undefined };
  }
  const metadata = await findResource(request, context);
  const issuer = issuerOf(metadata, overrides.issuer);
  const server = await findServer(serverUrl, issuer, metadata !== undefined, context);
  return {
    server: withOverrides(server, overrides),
    resource: overrides.resource ?? metadata?.resource ?? toResource(serverUrl),
    resourceScopes: metadata?.scopes,
  };
}

/** Where the operator names the authorization server, a challenge that leads nowhere stops nobody. */
async function findResource(
  { serverUrl, announced, overrides }: DiscoveryRequest,
  context: FetchContext,
): Promise<ResourceMetadata | undefined> {
  try {
    return await discoverResource(serverUrl, announced, context);
  } catch (error) {
    const isNamed = overrides.issuer !== undefined || overrides.tokenEndpoint !== undefined;
    if (announced === undefined || !isNamed || !(error instanceof AuthFailure)) throw error;
    return discoverResource(serverUrl, undefined, context);
  }
}

/** The same authorization server again, without asking the resource. */
export async function rediscover(
  { serverUrl, overrides, needsPerson }: DiscoveryRequest,
  issuer: string,
  context: FetchContext,
): Promise<ServerMetadata> {
  if (isSettled(overrides, needsPerson) && settledIssuer(overrides) === issuer)
    return withOverrides({ ...NOTHING_KNOWN, issuer }, overrides);
  const server = isOwnIssuer(issuer, serverUrl)
    ? await findOwnServer(serverUrl, issuer, context)
    : await findServer(serverUrl, issuer, true, context);
  return withOverrides(server, overrides);
}

/** The issuer whose tokens count, where the operator leaves no choice. */
export function namedIssuer(overrides: Overrides, needsPerson: boolean): string | undefined {
  return isSettled(overrides, needsPerson) ? settledIssuer(overrides) : overrides.issuer;
}

/** With every endpoint given by the operator nothing is left to be found out. */
export function isSettled(
  { tokenEndpoint, authorizationEndpoint }: Overrides,
  needsPerson: boolean,
): boolean {
  return tokenEndpoint !== undefined && (!needsPerson || authorizationEndpoint !== undefined);
}

function settledIssuer({ issuer, tokenEndpoint }: Overrides): string {
  return issuer ?? requireAddress(tokenEndpoint, 'token endpoint').origin;
}

function issuerOf(metadata: ResourceMetadata | undefined, named: string | undefined): string | undefined {
  if (metadata === undefined || named === undefined) return named ?? metadata?.authorizationServers[0];
  if (metadata.authorizationServers.includes(named)) return named;
  throw refused('the upstream does not name the authorization server that is set for the connector');
}

/**
 * Without an issuer: a server that says nothing of authorization servers is its own, with endpoints where they always are
 * (revision 2025-03-26). One that publishes resource metadata is of a later revision: there the authorization server has to
 * publish its own too, or nothing would tell whether it checks the proof key.
 */
async function findServer(
  serverUrl: URL,
  issuer: string | undefined,
  mustBePublished: boolean,
  context: FetchContext,
): Promise<ServerMetadata> {
  const { origin } = serverUrl;
  const found =
    issuer === undefined
      ? await discoverServer(origin, context, (named) => isOwnIssuer(named, serverUrl))
      : await discoverServer(issuer, context);
  if (found !== undefined) return found;
  if (!mustBePublished && (issuer === undefined || issuer === origin)) return defaultEndpoints(origin);
  throw refused('the authorization server publishes no metadata');
}

/** An issuer of the server's origin may have been found at its own address, or at the root as below. */
async function findOwnServer(serverUrl: URL, issuer: string, context: FetchContext): Promise<ServerMetadata> {
  const found = await discoverServer(issuer, context);
  if (found !== undefined || issuer === serverUrl.origin) return found ?? defaultEndpoints(issuer);
  const atRoot = await discoverServer(serverUrl.origin, context, (named) => named === issuer);
  if (atRoot !== undefined) return atRoot;
  throw refused('the authorization server publishes no metadata');
}

/**
 * Without resource metadata nothing tells the issuer beforehand: the document at the root of the server does. It speaks
 * for its own origin and for no other, or it could take over what was agreed with a foreign issuer.
 */
function isOwnIssuer(issuer: string, { origin }: URL): boolean {
  if (issuer === origin) return true;
  if (!URL.canParse(issuer)) return false;
  const url = new URL(issuer);
  const isPlain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  return isPlain && url.origin === origin && issuer.startsWith(`${origin}/`);
}

function withOverrides(server: ServerMetadata, overrides: Overrides): ServerMetadata {
  // Tokens of an endpoint that the operator named are told to nobody whom only the resource names.
  const isForeign = overrides.tokenEndpoint !== undefined && overrides.issuer === undefined;
  return {
    ...server,
    authorizationEndpoint: overrides.authorizationEndpoint ?? server.authorizationEndpoint,
    tokenEndpoint: overrides.tokenEndpoint ?? server.tokenEndpoint,
    registrationEndpoint: overrides.registrationEndpoint ?? server.registrationEndpoint,
    revocationEndpoint: overrides.revocationEndpoint ?? (isForeign ? undefined : server.revocationEndpoint),
  };
}
