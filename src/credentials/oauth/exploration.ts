import { isOAuth, type Connector, type OAuthSettings } from '../../connectors/index.js';
import { HubError } from '../../kernel/index.js';
import {
  chooseScopes,
  coversServer,
  discover,
  findBearerChallenge,
  isSettled,
  namedIssuer,
  probeChallenge,
  type BearerChallenge,
  type Discovery,
  type DiscoveryRequest,
  type FetchContext,
} from '../../mcp/auth/index.js';
import type { OAuthGrant } from '../credential.js';

export interface Exploration {
  readonly discovery: Discovery;
  readonly challenge: BearerChallenge | undefined;
}

/** Finds a connector's authorization server, from what the upstream answered or by asking it. */
export async function explore(
  connector: Connector,
  header: string | undefined,
  context: FetchContext,
): Promise<Exploration> {
  const { settings, serverUrl } = requireOAuth(connector);
  const request = toDiscovery(connector, settings, serverUrl);
  // Where it would tell nothing that the operator did not say, nobody is asked.
  const isKnown = settings.scopes !== undefined && isSettled(settings, request.needsPerson);
  const given = header ?? (isKnown ? undefined : await probeChallenge(serverUrl, context));
  const challenge = given === undefined ? undefined : findBearerChallenge(given);
  const discovery = await discover({ ...request, announced: challenge?.resourceMetadata }, context);
  return { discovery, challenge };
}

/**
 * Whether the service sends people to another authorization server than this one. Where that cannot be found out it counts
 * as no.
 */
export async function namesAnother(
  connector: Connector,
  issuer: string,
  context: FetchContext,
): Promise<boolean> {
  const found = await explore(connector, undefined, context).catch(() => undefined);
  return found !== undefined && found.discovery.server.issuer !== issuer;
}

export function toDiscovery({ auth }: Connector, overrides: OAuthSettings, serverUrl: URL): DiscoveryRequest {
  return { serverUrl, overrides, needsPerson: auth.type === 'oauth' };
}

export function scopesFor(
  settings: OAuthSettings,
  challenge: BearerChallenge | undefined,
  { server, resourceScopes }: Discovery,
  previous: readonly string[],
): readonly string[] {
  return chooseScopes({
    configured: settings.scopes,
    challenge,
    ofResource: resourceScopes,
    ofServer: server.scopes,
    previous,
  });
}

export function requireOAuth({ id, auth, endpoint }: Connector): {
  readonly settings: OAuthSettings;
  readonly serverUrl: URL;
} {
  if (!isOAuth(auth) || endpoint.transport === 'stdio')
    throw new HubError('invalid_request', `connector ${id} does not sign in with OAuth`);
  return { settings: auth.settings, serverUrl: new URL(endpoint.url) };
}

/** Tokens and codes count for the issuer and the resource they were made for, whatever the connector says by now. */
export function problemWith(
  made: Pick<OAuthGrant, 'issuer' | 'resource'>,
  settings: OAuthSettings,
  serverUrl: URL,
): string | undefined {
  const { resource } = settings;
  const issuer = namedIssuer(settings, true);
  if (issuer !== undefined && issuer !== made.issuer) return 'another authorization server is set';
  const isSame = resource === undefined ? coversServer(made.resource, serverUrl) : resource === made.resource;
  return isSame ? undefined : 'the connector points elsewhere';
}
