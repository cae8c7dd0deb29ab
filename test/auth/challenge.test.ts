import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseConnector } from '../../src/connectors/index.js';
import { createAccountFlow, type BegunConnection, type OAuthGrant } from '../../src/credentials/index.js';
import { systemClock } from '../../src/kernel/index.js';
import { createAuthorizationFetch } from '../../src/upstreams/index.js';
import {
  goodResource,
  json,
  startHostileServer,
  type HostileServer,
} from '../support/oauth/hostile-server.js';
import { createMemoryClients } from '../support/oauth/memory-clients.js';

let server: HostileServer;

function beginFor(auth: object, before?: OAuthGrant): Promise<BegunConnection> {
  const flow = createAccountFlow({
    fetchFor: createAuthorizationFetch({ totalMs: 4_000 }),
    clients: createMemoryClients(),
    clock: systemClock,
    clientMetadataUrl: () => undefined,
  });
  const connector = parseConnector(
    'c',
    { url: server.url, auth: { type: 'oauth', ...auth } },
    { source: 'file', now: 1 },
  );
  return flow.begin({ connector, redirectUri: 'http://127.0.0.1:1/oauth/callback', before });
}

beforeEach(async () => {
  server = await startHostileServer();
});
afterEach(() => server.close());

describe('C64: what the challenge asks for is asked for', () => {
  const ELSEWHERE = '/metadata.json';

  async function beginAt(auth: object, announced: string): Promise<BegunConnection> {
    server.answer('/mcp', (_request, response) => {
      const challenge = `Bearer scope="read", resource_metadata="${announced}"`;
      response.writeHead(401, { 'www-authenticate': challenge }).end();
    });
    server.answer(
      '/.well-known/oauth-protected-resource/mcp',
      (_request, response) => void response.writeHead(404).end(),
    );
    server.answer(
      ELSEWHERE,
      json({ ...goodResource(server.origin), resource: server.origin, scopes_supported: ['read', 'write'] }),
    );
    return beginFor(auth);
  }

  test.each([
    ['of a server that has to be found', () => ({})],
    ['of a server that the operator names', () => ({ issuer: server.origin })],
    ['of a client that the operator registered', () => ({ issuer: server.origin, clientId: 'hub' })],
    ['with a token endpoint by hand', () => ({ tokenEndpoint: `${server.origin}/token`, clientId: 'hub' })],
  ])('%s', async (_name, auth) => {
    const { scopes, resource } = await beginAt(auth(), `${server.origin}${ELSEWHERE}`);
    expect({ scopes, resource }).toEqual({ scopes: ['read'], resource: server.origin });
  });

  test('also where nothing else is left to find out', async () => {
    const { origin } = server;
    const endpoints = { authorizationEndpoint: `${origin}/authorize`, tokenEndpoint: `${origin}/token` };
    const { scopes, resource } = await beginAt({ ...endpoints, clientId: 'hub' }, `${origin}${ELSEWHERE}`);
    expect({ scopes, resource }).toEqual({ scopes: ['read'], resource: server.url });
  });

  test.each(['/metadata.json', 'javascript:alert(1)', 'http://10.0.0.1/metadata.json'])(
    'an announcement that leads nowhere (%s) stops nobody whose operator names the server',
    async (announced) => {
      const { scopes, resource } = await beginAt({ issuer: server.origin }, announced);
      expect({ scopes, resource }).toEqual({ scopes: ['read'], resource: server.url });
    },
  );
});

describe('C65: what was granted before', () => {
  const granted = (): OAuthGrant => ({
    issuer: server.origin,
    resource: server.url,
    clientId: 'before',
    scopes: ['read'],
    obtainedAt: 1,
    expiresAt: undefined,
    problem: undefined,
    stepUp: { scopes: ['write'], times: [1] },
  });

  test.each<[string, Partial<OAuthGrant>, readonly string[]]>([
    ['is asked for again, with what is wanted besides', {}, ['read', 'write', 'list']],
    ['by another server is not', { issuer: 'https://before.example' }, ['list']],
    ['for another resource is not', { resource: 'https://before.example/mcp' }, ['list']],
  ])('%s', async (_name, change, expected) => {
    server.answer(
      '/.well-known/oauth-protected-resource/mcp',
      json({ ...goodResource(server.origin), scopes_supported: ['list'] }),
    );
    expect((await beginFor({}, { ...granted(), ...change })).scopes).toEqual(expected);
  });
});
