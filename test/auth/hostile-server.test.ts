import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseConnector, type Connector } from '../../src/connectors/index.js';
import { createAccountFlow, type AccountFlow, type BegunConnection } from '../../src/credentials/index.js';
import { HubError, systemClock } from '../../src/kernel/index.js';
import { createAuthorizationFetch } from '../../src/upstreams/index.js';
import {
  goodResource,
  goodServer,
  json,
  startHostileServer,
  type Answer,
  type HostileServer,
} from '../support/oauth/hostile-server.js';
import { createMemoryClients } from '../support/oauth/memory-clients.js';

const REDIRECT = 'http://127.0.0.1:1/oauth/callback';
const PRM = '/.well-known/oauth-protected-resource/mcp';
const METADATA = '/.well-known/oauth-authorization-server';
/** Words only a server would write; none may reach a message of ours. */
const CANARY = 'canary-of-the-server';

let server: HostileServer;
let canary: HostileServer;
let flow: AccountFlow;
let connector: Connector;

beforeEach(async () => {
  server = await startHostileServer();
  canary = await startHostileServer();
  connector = parseConnector('c', { url: server.url, auth: { type: 'oauth' } }, { source: 'file', now: 1 });
  flow = createAccountFlow({
    fetchFor: createAuthorizationFetch({ totalMs: 4_000 }),
    clients: createMemoryClients(),
    clock: systemClock,
    clientMetadataUrl: () => undefined,
  });
});
afterEach(async () => {
  await server.close();
  await canary.close();
});

const begin = (challenge?: string): Promise<BegunConnection> =>
  flow.begin({ connector, redirectUri: REDIRECT, ...(challenge !== undefined && { challenge }) });

const answerOf = (begun: BegunConnection, more: Record<string, string> = {}): URLSearchParams =>
  new URLSearchParams({ code: 'code', state: begun.state, iss: begun.issuer, ...more });

async function failure(outcome: Promise<unknown>): Promise<HubError> {
  const error = await outcome.then(
    () => new Error('it was accepted'),
    (caught: unknown) => caught,
  );
  if (!(error instanceof HubError)) throw error;
  expect(`${error.message} ${JSON.stringify(error.details)}`).not.toContain(CANARY);
  expect(canary.seen).toEqual([]);
  return error;
}

const redirect: Answer = (_request, response) => {
  response.writeHead(302, { location: `${canary.origin}/secret` }).end();
};
const html: Answer = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${CANARY}</p>`);
};
const hang: Answer = () => {};
const MEGABYTE = Buffer.alloc(1_048_576, 'x');
const huge: Answer = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  let sent = 0;
  const write = (): void => {
    while (sent < 32 && !response.destroyed) {
      sent += 1;
      if (!response.write(MEGABYTE)) return void response.once('drain', write);
    }
    response.end();
  };
  write();
};

test('without anything hostile the exchange succeeds', async () => {
  const begun = await begin();
  expect(begun.authorizationUrl).toContain('code_challenge_method=S256');
  const { values, grant } = await flow.finish(connector, begun, answerOf(begun));
  expect(values['access_token']?.reveal()).toBe('good-token');
  expect(grant).toMatchObject({ issuer: server.origin, resource: server.url, clientId: 'made' });
});

describe('metadata that is refused before a person is sent anywhere', () => {
  const changed = (change: object) => (): void =>
    server.answer(METADATA, json({ ...goodServer(server.origin), ...change }));
  const cases: readonly [string, () => void, RegExp][] = [
    ['C58 O-5: another issuer', changed({ issuer: 'https://evil.example' }), /another issuer/],
    [
      'O-5: javascript:',
      changed({ authorization_endpoint: 'javascript:alert(1)' }),
      /neither https nor http/,
    ],
    ['O-5: data:', changed({ authorization_endpoint: 'data:text/html,x' }), /neither https nor http/],
    ['O-5: file:', changed({ token_endpoint: 'file:///etc/passwd' }), /neither https nor http/],
    ['O-5: like a command', changed({ authorization_endpoint: '$(touch /tmp/x)' }), /not a URL/],
    ['O-5: userinfo', changed({ token_endpoint: 'https://u:p@a.example/' }), /user name/],
    ['O-5: not encrypted', changed({ registration_endpoint: 'http://a.example/' }), /not encrypted/],
    ['O-5: private', changed({ registration_endpoint: 'https://10.0.0.1/' }), /must not be reached/],
    // Nobody is sent to sign in where the code could not be used, or in the open.
    ['O-5: tokens inside', changed({ token_endpoint: 'https://10.0.0.1/t' }), /token.*must not be reached/],
    [
      'O-5: tokens inside, otherwise written',
      changed({ token_endpoint: 'https://[::ffff:a00:1]/t' }),
      /token.*must not be reached/,
    ],
    ['O-5: tokens in the open', changed({ token_endpoint: 'http://a.example/t' }), /token.*not encrypted/],
    [
      'O-5: people sent inside',
      changed({ authorization_endpoint: 'https://192.168.0.1/reboot' }),
      /authorization.*must not be reached/,
    ],
    [
      'O-5: people sent in the open',
      changed({ authorization_endpoint: 'http://a.example/' }),
      /authorization.*not encrypted/,
    ],
    ['C59 O-6: no PKCE', changed({ code_challenge_methods_supported: undefined }), /PKCE/],
    ['C59 O-6: plain only', changed({ code_challenge_methods_supported: ['plain'] }), /PKCE/],
    ['O-7: 32 MB', () => server.answer(METADATA, huge), /larger/],
    ['O-7: 32 MB of the resource', () => server.answer(PRM, huge), /larger/],
    [
      'O-17: a client id with line breaks',
      () => server.answer('/register', json({ client_id: 'a\r\nb' }, 201)),
      /printable/,
    ],
    ['O-7: a redirect inside', () => server.answer('/register', redirect), /redirect/],
    [
      'C56 O-8: another resource',
      () =>
        server.answer(PRM, json({ ...goodResource(server.origin), resource: 'https://evil.example/mcp' })),
      /another resource/,
    ],
    [
      'C56: no authorization server',
      () => server.answer(PRM, json({ resource: server.url, authorization_servers: [] })),
      /no authorization server/,
    ],
  ];
  test.each(cases)('%s', async (_name, prepare, words) => {
    prepare();
    const error = await failure(begin());
    expect(error.code).toBe('oauth_refused');
    expect(error.message).toMatch(words);
  });

  test.each(['', '/as'])(
    'O-7: pages and redirects in place of metadata are no metadata: %s',
    async (path) => {
      for (const answer of [html, redirect]) {
        server.answer(
          PRM,
          json({ resource: server.url, authorization_servers: [`${server.origin}${path}`] }),
        );
        server.answer(`${METADATA}${path}`, answer);
        expect((await failure(begin())).message).toMatch(/publishes no metadata/);
      }
    },
  );

  test('O-7: a server that hangs may work later', async () => {
    server.answer(METADATA, hang);
    expect((await failure(begin())).code).toBe('oauth_unavailable');
  });
});

describe('C66: answers that are refused before the code is used', () => {
  test.each<[string, Record<string, string>, RegExp]>([
    ['O-3: wrong', { iss: 'https://evil.example' }, /another issuer/],
    ['O-3: a slash more', { iss: 'SLASH' }, /another issuer/],
    ['O-3: missing', { iss: 'MISSING' }, /does not name its issuer/],
    ['another state', { state: 'x' }, /does not belong/],
    ['O-4: an error', { error: 'access_denied', error_description: CANARY }, /access was denied/],
  ])('%s', async (_name, change, words) => {
    const begun = await begin();
    const answer = answerOf(begun, change);
    if (change['iss'] === 'SLASH') answer.set('iss', `${begun.issuer}/`);
    if (change['iss'] === 'MISSING') answer.delete('iss');
    const error = await failure(flow.finish(connector, begun, answer));
    expect(error.code).toBe('oauth_refused');
    expect(error.message).toMatch(words);
    expect(server.seen).not.toContain('POST /token');
  });

  test('an endpoint that changes meanwhile does not get the code', async () => {
    const begun = await begin();
    server.answer(METADATA, json({ ...goodServer(server.origin), token_endpoint: `${canary.origin}/token` }));
    await flow.finish(connector, begun, answerOf(begun));
    expect(canary.seen).toEqual([]);
  });
});

describe('tokens that the operator has taken from an endpoint of choice', () => {
  const CLIENT = { type: 'oauth', clientId: 'hub', clientSecret: 'secret-of-the-hub' };

  async function revokeAt(auth: object): Promise<boolean> {
    canary.answer('/revoke', (_request, response) => void response.writeHead(200).end());
    server.answer(
      METADATA,
      json({ ...goodServer(server.origin), revocation_endpoint: `${server.origin}/revoke` }),
    );
    server.answer('/revoke', (_request, response) => void response.writeHead(200).end());
    connector = parseConnector(
      'c',
      { url: server.url, auth: { ...CLIENT, ...auth } },
      { source: 'file', now: 1 },
    );
    const begun = await begin();
    const { values, grant } = await flow.finish(connector, begun, answerOf(begun));
    const owner = { kind: 'shared' } as const;
    const place = { connector: connector.id, owner, account: 'default', isDefault: true };
    return flow.revoke(connector, { ...place, values, grant, version: 1, updatedAt: 1 });
  }

  test('are not told, with the secret of the client, to whom the upstream names for revoking them', async () => {
    expect(await revokeAt({ tokenEndpoint: `${canary.origin}/token` })).toBe(false);
    expect(server.seen).not.toContain('POST /revoke');
  });

  test.each([
    [
      'where the operator says so',
      () => ({ tokenEndpoint: `${canary.origin}/token`, revocationEndpoint: `${canary.origin}/revoke` }),
    ],
    ['at the issuer that the operator names', () => ({ issuer: server.origin })],
  ])('are revoked %s', async (_name, auth) => {
    expect(await revokeAt(auth())).toBe(true);
  });
});

test('C62: tokens of one server are not shown to another that the operator names in its place', async () => {
  const at = (origin: string): Connector => {
    const endpoints = { authorizationEndpoint: `${origin}/authorize`, tokenEndpoint: `${origin}/token` };
    const auth = { type: 'oauth', clientId: 'hub', ...endpoints };
    return parseConnector('c', { url: server.url, auth }, { source: 'file', now: 1 });
  };
  server.answer('/token', json({ access_token: 'a', refresh_token: 'again', token_type: 'Bearer' }));
  connector = at(server.origin);
  const begun = await begin();
  const credential = {
    connector: connector.id,
    owner: { kind: 'shared' },
    account: 'default',
    isDefault: true,
    version: 1,
    updatedAt: 1,
    ...(await flow.finish(connector, begun, answerOf(begun))),
  } as const;
  expect((await flow.refresh(connector, credential)).values['access_token']?.reveal()).toBe('a');
  const error = await failure(flow.refresh(at(canary.origin), credential));
  expect([error.code, error.message]).toEqual([
    'credential_required',
    expect.stringContaining('another authorization server is set'),
  ]);
});

describe('O-9: token answers that are refused', () => {
  const token = (change: object): Answer => json({ access_token: 'a', token_type: 'Bearer', ...change });
  test.each<[string, Answer, string]>([
    ['a page', html, 'oauth_refused'],
    ['32 MB', huge, 'oauth_refused'],
    ['no token', token({ access_token: undefined }), 'oauth_refused'],
    ['a line break', token({ access_token: 'a\r\nx-evil: 1' }), 'oauth_refused'],
    ['another type', token({ token_type: 'mac' }), 'oauth_refused'],
    ['a proof type', token({ token_type: 'DPoP' }), 'oauth_refused'],
    ['an error of the server', json({ error: CANARY }, 500), 'oauth_unavailable'],
    ['a used code', json({ error: 'invalid_grant', error_description: CANARY }, 400), 'oauth_refused'],
    ['a redirect', (...parts) => redirect(...parts), 'oauth_refused'],
    ['nothing', hang, 'oauth_unavailable'],
  ])('%s', async (_name, answer, code) => {
    const begun = await begin();
    server.answer('/token', answer);
    expect((await failure(flow.finish(connector, begun, answerOf(begun)))).code).toBe(code);
  });

  test.each<[unknown, number | undefined]>([
    [-5, 0],
    [1e300, 86_400_000],
    ['soon', undefined],
    ['315705599', 315_705_599_000],
  ])('O-10: expires_in %s', async (given, expected) => {
    const begun = await begin();
    server.answer('/token', token({ expires_in: given }));
    const { grant } = await flow.finish(connector, begun, answerOf(begun));
    expect(grant.expiresAt === undefined ? undefined : grant.expiresAt - grant.obtainedAt).toBe(expected);
  });
});

describe('a server from before resource metadata', () => {
  const NOTHING: Answer = (_request, response) => void response.writeHead(404).end();
  const describeItself = (issuer: string): void => {
    server.answer(PRM, NOTHING);
    server.answer(METADATA, json({ ...goodServer(server.origin), issuer }));
  };

  test('may call its issuer by a path of its own, and tokens of it are renewed', async () => {
    const issuer = `${server.origin}/oauth`;
    describeItself(issuer);
    server.answer('/token', json({ access_token: 'old', refresh_token: 'again', token_type: 'Bearer' }));
    const begun = await begin();
    const { values, grant } = await flow.finish(connector, begun, answerOf(begun));
    expect(grant.issuer).toBe(issuer);
    server.answer('/token', json({ access_token: 'new', token_type: 'Bearer' }));
    const credential = {
      connector: connector.id,
      owner: { kind: 'shared' },
      account: 'default',
      isDefault: true,
      values,
      grant,
      version: 1,
      updatedAt: 1,
    } as const;
    const renewed = await flow.refresh(connector, credential);
    expect(renewed.values['access_token']?.reveal()).toBe('new');
    // Another issuer at the same place is another one.
    describeItself(`${server.origin}/elsewhere`);
    const later = { ...connector };
    expect((await failure(flow.refresh(later, credential))).message).toMatch(/names another/);
  });

  test.each([
    ['of another origin', () => 'https://evil.example'],
    ['that only begins like it', () => `${server.origin}.evil.example`],
    ['with a user name', () => server.origin.replace('//', '//user@')],
    ['with a query', () => `${server.origin}/oauth?as=evil`],
    ['that is no address', () => 'evil'],
  ])('O-5: cannot speak for an issuer %s', async (_name, issuer) => {
    describeItself(issuer());
    expect((await failure(begin())).message).toMatch(/another issuer/);
  });
});

test.each<[string, string]>([
  ['200 challenges', 'Basic realm="x", '.repeat(200)],
  ['12 KB', `Bearer realm="${'x'.repeat(12_288)}"`],
  ['broken quotes', 'Bearer realm="x, resource_metadata="y'],
])('O-7: %s do not stop the exchange', async (_name, header) => {
  expect((await begin(header)).issuer).toBe(server.origin);
});

test('O-5: a challenge that leads to something that is no address', async () => {
  for (const address of ['javascript:alert(1)', 'file:///etc/passwd', '`id`'])
    expect((await failure(begin(`Bearer resource_metadata="${address}"`))).code).toBe('oauth_refused');
});
