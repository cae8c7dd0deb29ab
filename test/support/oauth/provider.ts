import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Provider } from 'oidc-provider';
import { ProviderRecords } from './memory-adapter.js';
import { loadOidcLibrary, type OidcLibrary } from './oidc-library.js';

export interface TokenFacts {
  readonly scopes: readonly string[];
  readonly audience: unknown;
  readonly person: string;
}

export interface TestProvider {
  readonly issuer: string;
  readonly records: ProviderRecords;
  /** Who signs in next. */
  person: string;
  /** How long access tokens live, in seconds. */
  lifeSeconds: number;
  /** False: whoever comes says no. */
  agrees: boolean;
  /** What is granted of what was asked for; undefined: everything. */
  grants: readonly string[] | undefined;
  /** Sees requests first; true means it has answered. */
  interfere: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  readonly tokenCalls: () => readonly string[];
  readonly familiesRevoked: () => number;
  readonly registrations: () => number;
  /** What a token is good for; undefined if it is not. */
  judge(token: string): TokenFacts | undefined;
  close(): Promise<void>;
}

const SCOPES = ['read', 'write', 'admin'];

/** A real authorization server on loopback: dynamic registration, rotating refresh tokens with reuse detection, revocation. */
export async function startProvider(clients: readonly Record<string, unknown>[] = []): Promise<TestProvider> {
  const records = new ProviderRecords();
  const tokenCalls: string[] = [];
  const counts = { revoked: 0, registered: 0 };
  const serving: { handler?: (request: IncomingMessage, response: ServerResponse) => void } = {};
  const server = createServer((request, response) => {
    if (given.interfere?.(request, response) !== true) serving.handler?.(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const given: TestProvider = {
    issuer,
    records,
    person: 'alice',
    lifeSeconds: 3_600,
    agrees: true,
    grants: undefined,
    interfere: undefined,
    tokenCalls: () => tokenCalls,
    familiesRevoked: () => counts.revoked,
    registrations: () => counts.registered,
    judge(token) {
      const record = records.find('AccessToken', token) ?? records.find('ClientCredentials', token);
      if (record === undefined || Number(record.exp) * 1_000 <= Date.now()) return undefined;
      return {
        scopes: (record.scope ?? '').split(' '),
        audience: record['aud'],
        person: record.accountId ?? 'machine',
      };
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  const oidc = createOidc(await loadOidcLibrary(), given, clients);
  oidc.on('registration_create.success', () => counts.registered++);
  oidc.on('grant.revoked', () => counts.revoked++);
  oidc.on('grant.success', ({ oidc: { params } }) => tokenCalls.push(String(params?.['grant_type'])));
  oidc.on('grant.error', ({ oidc: { params } }) => tokenCalls.push(String(params?.['grant_type'])));
  const callback = oidc.callback();
  serving.handler = (request, response) => {
    if (request.url?.startsWith('/interaction/') === true) void decide(oidc, given, request, response);
    else void callback(request, response);
  };
  return given;
}

function createOidc(
  library: OidcLibrary,
  given: TestProvider,
  clients: readonly Record<string, unknown>[],
): Provider {
  return new library.Provider(given.issuer, {
    jwks: library.jwks,
    adapter: given.records.adapter,
    clients: clients as never,
    scopes: [...SCOPES, 'offline_access'],
    clientDefaults: { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_context, _client, oneOf) => oneOf ?? [],
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, resource) => ({
          scope: SCOPES.join(' '),
          audience: resource,
          accessTokenTTL: given.lifeSeconds,
          accessTokenFormat: 'opaque',
        }),
      },
    },
    pkce: { required: () => true },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    cookies: { keys: ['test'] },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    ttl: {
      Session: 1,
      Interaction: 600,
      Grant: 3_600,
      AccessToken: () => given.lifeSeconds,
      ClientCredentials: () => given.lifeSeconds,
      AuthorizationCode: 60,
      RefreshToken: 3_600,
    },
  });
}

/** Signs the person in and answers what was asked. */
async function decide(
  oidc: Provider,
  { person, agrees, grants }: TestProvider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { params } = await oidc.interactionDetails(request, response);
  if (!agrees) {
    const refusal = { error: 'access_denied', error_description: '<script>alert(1)</script>' };
    await oidc.interactionFinished(request, response, refusal);
    return;
  }
  const asked = typeof params['scope'] === 'string' ? params['scope'] : '';
  const grant = new oidc.Grant({ accountId: person, clientId: String(params['client_id']) });
  const scope = grants?.join(' ') ?? asked;
  grant.addOIDCScope(scope);
  const resources = [params['resource'] ?? []].flat().map(String);
  for (const resource of resources) grant.addResourceScope(resource, scope);
  const refused = asked.split(' ').filter((one) => !scope.split(' ').includes(one));
  if (refused.length > 0) {
    grant.rejectOIDCScope(refused.join(' '));
    for (const resource of resources) grant.rejectResourceScope(resource, refused.join(' '));
  }
  await oidc.interactionFinished(request, response, {
    login: { accountId: person },
    consent: { grantId: await grant.save() },
  });
}
