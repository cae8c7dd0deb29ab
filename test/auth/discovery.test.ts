import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseConnector, type Connector } from '../../src/connectors/index.js';
import { createAccountFlow, type AccountFlow, type BegunConnection } from '../../src/credentials/index.js';
import { systemClock } from '../../src/kernel/index.js';
import { createAuthorizationFetch } from '../../src/upstreams/index.js';
import {
  goodResource,
  goodServer,
  json,
  startHostileServer,
  type HostileServer,
} from '../support/oauth/hostile-server.js';
import { createMemoryClients } from '../support/oauth/memory-clients.js';

/** How the hub finds an authorization server, as whom it appears there, and what it says to it. */

const REDIRECT = 'http://127.0.0.1:1/oauth/callback';
const RESOURCE = '/.well-known/oauth-protected-resource';
const RFC_8414 = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';
const GONE = json({}, 404);

let server: HostileServer;

beforeEach(async () => {
  server = await startHostileServer();
});
afterEach(() => server.close());

interface Exchange {
  readonly flow: AccountFlow;
  readonly connector: Connector;
  begin(challenge?: string): Promise<BegunConnection>;
  finish(begun: BegunConnection): ReturnType<AccountFlow['finish']>;
}

function open(auth: object = {}, clientMetadataUrl?: string, redirectUri = REDIRECT): Exchange {
  const flow = createAccountFlow({
    fetchFor: createAuthorizationFetch({ totalMs: 4_000 }),
    clients: createMemoryClients(),
    clock: systemClock,
    clientMetadataUrl: () => clientMetadataUrl,
  });
  const description = { url: server.url, auth: { type: 'oauth', ...auth } };
  const connector = parseConnector('c', description, { source: 'file', now: 1 });
  return {
    flow,
    connector,
    begin: (challenge) =>
      flow.begin({ connector, redirectUri, ...(challenge !== undefined && { challenge }) }),
    finish: (begun) =>
      flow.finish(
        connector,
        begun,
        new URLSearchParams({ code: 'code', state: begun.state, iss: begun.issuer }),
      ),
  };
}

/** Addresses that were read, in order. */
const looks = (): string[] =>
  server.seen.filter((line) => line.startsWith('GET ')).map((line) => line.slice(4));

/** Takes down what a path is sent, before it answers as it would. */
function record(path: string, answer: object, status = 200) {
  const bodies: { readonly form: URLSearchParams; readonly text: string; readonly authorization?: string }[] =
    [];
  server.answer(path, (request, response, text) => {
    const { authorization } = request.headers;
    bodies.push({
      form: new URLSearchParams(text),
      text,
      ...(authorization !== undefined && { authorization }),
    });
    json(answer, status)(request, response, text);
  });
  return bodies;
}

describe('C55: metadata of the resource', () => {
  test('is read where the challenge says, and nowhere else', async () => {
    server.answer('/elsewhere', json(goodResource(server.origin)));
    await open().begin(`Bearer resource_metadata="${server.origin}/elsewhere"`);
    expect(looks()).toEqual(['/elsewhere', RFC_8414]);
  });

  test('is looked for at the path of the server, then at the root', async () => {
    server.answer(`${RESOURCE}/mcp`, GONE);
    server.answer(RESOURCE, json({ ...goodResource(server.origin), resource: server.origin }));
    const { resource } = await open().begin();
    expect(looks()).toEqual([`${RESOURCE}/mcp`, RESOURCE, RFC_8414]);
    expect(resource).toBe(server.origin);
  });

  test('of a server of 2025-03-26 there is none: the server is its own authorization server', async () => {
    server.answer(`${RESOURCE}/mcp`, GONE);
    const begun = await open().begin();
    expect(looks()).toEqual([`${RESOURCE}/mcp`, RESOURCE, RFC_8414]);
    expect(begun).toMatchObject({ issuer: server.origin, resource: server.url });
  });

  test('and without any other either, the endpoints are where they always were', async () => {
    for (const path of [`${RESOURCE}/mcp`, RFC_8414]) server.answer(path, GONE);
    const begun = await open().begin();
    expect(begun.authorizationUrl).toMatch(`${server.origin}/authorize?`);
    expect(begun).toMatchObject({ tokenEndpoint: `${server.origin}/token`, clientId: 'made' });
    expect(server.seen).toContain('POST /register');
  });
});

describe('metadata of the authorization server', () => {
  const WAYS: readonly [string, readonly string[]][] = [
    ['', [RFC_8414, OPENID]],
    ['/tenant', [`${RFC_8414}/tenant`, `${OPENID}/tenant`, `/tenant${OPENID}`]],
  ];

  test.each(WAYS)('C57: of an issuer with the path "%s" is looked for in order', async (path, places) => {
    const issuer = `${server.origin}${path}`;
    server.answer(`${RESOURCE}/mcp`, json({ resource: server.url, authorization_servers: [issuer] }));
    server.answer(RFC_8414, GONE);
    for (const [index, place] of places.entries()) {
      for (const earlier of places.slice(0, index)) server.answer(earlier, GONE);
      server.answer(place, json({ ...goodServer(server.origin), issuer }));
      const before = looks().length;
      expect((await open().begin()).issuer).toBe(issuer);
      expect(looks().slice(before)).toEqual([`${RESOURCE}/mcp`, ...places.slice(0, index + 1)]);
    }
  });

  test.each([
    ['with a slash more', (origin: string) => `${origin}/`],
    ['in capitals', (origin: string) => origin.toUpperCase()],
    ['with its port left out', (origin: string) => origin.replace(/:\d+$/, '')],
    ['that is missing', () => undefined],
  ])('C58: of an issuer %s is not used', async (_name, change) => {
    server.answer(RFC_8414, json({ ...goodServer(server.origin), issuer: change(server.origin) }));
    await expect(open().begin()).rejects.toMatchObject({
      code: 'oauth_refused',
      message: expect.stringContaining('another issuer') as string,
    });
    expect(server.seen).not.toContain('POST /register');
  });
});

describe('C60: as whom the hub appears', () => {
  const DOCUMENT = 'https://hub.example/oauth/client.json';
  const offering = (change: object): void =>
    server.answer(RFC_8414, json({ ...goodServer(server.origin), ...change }));

  test('a client that is registered beforehand goes before all', async () => {
    offering({ client_id_metadata_document_supported: true });
    const { clientId } = await open({ clientId: 'known', issuer: server.origin }, DOCUMENT).begin();
    expect(clientId).toBe('known');
    expect(server.seen).not.toContain('POST /register');
  });

  test('its own document goes before a registration, where the server knows such documents', async () => {
    offering({ client_id_metadata_document_supported: true });
    expect((await open({}, DOCUMENT).begin()).clientId).toBe(DOCUMENT);
    expect(server.seen).not.toContain('POST /register');
    offering({});
    expect((await open({}, DOCUMENT).begin()).clientId).toBe('made');
  });

  test.each([
    ['native', REDIRECT],
    ['web', 'https://hub.example/oauth/callback'],
  ])('a registration says what it is for: %s', async (type, redirectUri) => {
    offering({ token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'] });
    const registrations = record('/register', { client_id: 'made' }, 201);
    await open({}, undefined, redirectUri).begin();
    expect(registrations.map(({ text }) => JSON.parse(text) as unknown)).toMatchObject([
      {
        application_type: type,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        redirect_uris: [redirectUri],
      },
    ]);
  });

  test('where nothing of it is possible the operator is told what to set', async () => {
    offering({ registration_endpoint: undefined });
    await expect(open({}, DOCUMENT).begin()).rejects.toMatchObject({
      code: 'oauth_refused',
      message: expect.stringMatching(/Register the hub there and set auth\.clientId/) as string,
    });
  });
});

test('C63, C59: resource and proof key are in every request that wants them', async () => {
  const tokens = record('/token', { access_token: 'a', refresh_token: 'again', token_type: 'Bearer' });
  const { flow, connector, begin, finish } = open();
  const begun = await begin();
  const asked = new URL(begun.authorizationUrl).searchParams;
  expect(Object.fromEntries(asked)).toMatchObject({ resource: server.url, code_challenge_method: 'S256' });
  const granted = await finish(begun);
  await flow.refresh(connector, {
    connector: connector.id,
    owner: { kind: 'shared' },
    account: 'default',
    isDefault: true,
    version: 1,
    updatedAt: 1,
    ...granted,
  });
  expect(tokens.map(({ form }) => [form.get('grant_type'), form.get('resource')])).toEqual([
    ['authorization_code', server.url],
    ['refresh_token', server.url],
  ]);
  expect(tokens[0]?.form.get('code_verifier')).toMatch(/^[\w-]{43,}$/);
  expect(asked.get('code_challenge')).not.toBe(tokens[0]?.form.get('code_verifier'));
});

describe('C71: how the hub proves at the token endpoint who it is', () => {
  const SECRET = 'secret of+the/hub';
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const KEY = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const BASIC = `Basic ${Buffer.from('hub:secret+of%2Bthe%2Fhub').toString('base64')}`;

  test.each<[string, readonly string[] | undefined, object, object]>([
    ['none', ['none'], {}, { client_id: 'hub' }],
    ['client_secret_basic', ['client_secret_basic'], { clientSecret: SECRET }, { authorization: BASIC }],
    ['client_secret_basic, untold', undefined, { clientSecret: SECRET }, { authorization: BASIC }],
    [
      'client_secret_post',
      ['client_secret_post'],
      { clientSecret: SECRET },
      { client_id: 'hub', client_secret: SECRET },
    ],
    [
      'private_key_jwt',
      ['private_key_jwt'],
      { privateKey: KEY },
      {
        client_id: 'hub',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: expect.stringMatching(/^ey[\w-]+\.ey[\w-]+\.[\w-]+$/) as string,
      },
    ],
  ])('%s', async (_name, supported, auth, expected) => {
    server.answer(
      RFC_8414,
      json({ ...goodServer(server.origin), token_endpoint_auth_methods_supported: supported }),
    );
    const tokens = record('/token', { access_token: 'a', token_type: 'Bearer' });
    const { begin, finish } = open({ clientId: 'hub', issuer: server.origin, ...auth });
    await finish(await begin());
    const { form, authorization } = tokens[0] ?? { form: new URLSearchParams() };
    const said = { ...Object.fromEntries(form), ...(authorization !== undefined && { authorization }) };
    expect(said).toMatchObject(expected);
    const ways = ['client_secret', 'client_assertion', 'authorization'];
    expect(ways.filter((way) => way in said)).toEqual(ways.filter((way) => way in expected));
  });

  test.each([
    ['a secret', { clientSecret: SECRET }, 'client_secret_basic'],
    ['a signed assertion', { privateKey: KEY }, 'private_key_jwt'],
  ])('C72: so it does where it signs in as itself, with %s', async (_name, auth, method) => {
    server.answer(
      RFC_8414,
      json({ ...goodServer(server.origin), token_endpoint_auth_methods_supported: [method] }),
    );
    const tokens = record('/token', { access_token: 'a', token_type: 'Bearer' });
    const { flow, connector } = open({
      type: 'client_credentials',
      clientId: 'hub',
      issuer: server.origin,
      scopes: ['read', 'write'],
      ...auth,
    });
    await flow.authorizeMachine(connector, {});
    const { form, authorization } = tokens[0] ?? { form: new URLSearchParams() };
    expect(Object.fromEntries(form)).toMatchObject({
      grant_type: 'client_credentials',
      resource: server.url,
      scope: 'read write',
      ...(method === 'private_key_jwt' && { client_assertion: expect.any(String) as string }),
    });
    expect(authorization).toBe(method === 'private_key_jwt' ? undefined : BASIC);
    expect(server.seen).not.toContain('POST /register');
  });
});
