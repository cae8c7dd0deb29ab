import { requireAddress, toResource } from './address.js';
import { refused } from './auth-failure.js';
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
export async function discover(
  { serverUrl, announced, overrides, needsPerson }: DiscoveryRequest,
  context: FetchContext,
): Promise<Discovery> {
  if (isSettled(overrides, needsPerson)) {
    const server = withOverrides({ ...NOTHING_KNOWN, issuer: settledIssuer(overrides) }, overrides);
    return { server, resource: overrides.resource ?? toResource(serverUrl), resourceScopes: undefined };
  }
  const metadata = await discoverResource(serverUrl, announced, context);
  const server = await findServer(serverUrl, issuerOf(metadata, overrides.issuer), context);
  return {
    server: withOverrides(server, overrides),
    resource: overrides.resource ?? metadata?.resource ?? toResource(serverUrl),
    resourceScopes: metadata?.scopes,
  };
}

/** The same authorization server again, without asking the resource. */
export async function rediscover(
  { serverUrl, overrides, needsPerson }: DiscoveryRequest,
  issuer: string,
  context: FetchContext,
): Promise<ServerMetadata> {
  if (isSettled(overrides, needsPerson) && settledIssuer(overrides) === issuer)
    return withOverrides({ ...NOTHING_KNOWN, issuer }, overrides);
  return withOverrides(await findServer(serverUrl, issuer, context), overrides);
}

/** With every endpoint given by the operator nothing is left to be found out. */
function isSettled({ tokenEndpoint, authorizationEndpoint }: Overrides, needsPerson: boolean): boolean {
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

/** Undefined: a server that says nothing of authorization servers is its own (revision 2025-03-26). */
async function findServer(
  serverUrl: URL,
  issuer: string | undefined,
  context: FetchContext,
): Promise<ServerMetadata> {
  const found = await discoverServer(issuer ?? serverUrl.origin, context);
  if (found !== undefined) return found;
  if (issuer === undefined || issuer === serverUrl.origin) return defaultEndpoints(serverUrl.origin);
  throw refused('the authorization server publishes no metadata');
}

function withOverrides(server: ServerMetadata, overrides: Overrides): ServerMetadata {
  return {
    ...server,
    authorizationEndpoint: overrides.authorizationEndpoint ?? server.authorizationEndpoint,
    tokenEndpoint: overrides.tokenEndpoint ?? server.tokenEndpoint,
    registrationEndpoint: overrides.registrationEndpoint ?? server.registrationEndpoint,
    revocationEndpoint: overrides.revocationEndpoint ?? server.revocationEndpoint,
  };
}
