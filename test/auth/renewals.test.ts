import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseConnector, type Connector } from '../../src/connectors/index.js';
import { createAccountFlow, type AccountFlow, type Credential } from '../../src/credentials/index.js';
import { systemClock, type Clock } from '../../src/kernel/index.js';
import { createAuthorizationFetch } from '../../src/upstreams/index.js';
import {
  goodServer,
  json,
  startHostileServer,
  type Answer,
  type HostileServer,
} from '../support/oauth/hostile-server.js';
import { createMemoryClients } from '../support/oauth/memory-clients.js';

/** When a renewal cannot succeed any more, and a sign-in that nobody would come back from. */

const REDIRECT = 'http://127.0.0.1:1/oauth/callback';
const TOKENS = { access_token: 'a', refresh_token: 'r', token_type: 'Bearer' };

/** A registration that was just made is not asked about. */
const WHILE_MS = 600_000;
let passedMs = 0;
const clock: Clock = { ...systemClock, now: () => systemClock.now() + passedMs };

let server: HostileServer;
let flow: AccountFlow;
let connector: Connector;
const opened: HostileServer[] = [];

beforeEach(async () => {
  passedMs = 0;
  server = await open();
  flow = createAccountFlow({
    fetchFor: createAuthorizationFetch({ totalMs: 2_000 }),
    clients: createMemoryClients(),
    clock,
    clientMetadataUrl: () => undefined,
  });
  connector = parseConnector('c', { url: server.url, auth: { type: 'oauth' } }, { source: 'file', now: 1 });
});
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

async function open(): Promise<HostileServer> {
  const one = await startHostileServer();
  opened.push(one);
  one.answer('/token', json(TOKENS));
  return one;
}

const begin = () => flow.begin({ connector, redirectUri: REDIRECT });

async function signIn(): Promise<Credential> {
  const begun = await begin();
  const answer = new URLSearchParams({ code: 'code', state: begun.state, iss: begun.issuer });
  return {
    connector: connector.id,
    owner: { kind: 'shared' },
    account: 'default',
    isDefault: true,
    version: 1,
    updatedAt: 1,
    ...(await flow.finish(connector, begun, answer)),
  };
}

const codeOf = (renewal: Promise<unknown>): Promise<string> =>
  renewal.then(
    () => 'renewed',
    (error: unknown) => (error as { readonly code: string }).code,
  );

const refusal = (error: string, status = 400): Answer => json({ error }, status);
const OVER = 'credential_required';

describe('a renewal that the server refuses', () => {
  test.each<readonly [string, Answer, string]>([
    ['O-12: the grant is gone', refusal('invalid_grant'), OVER],
    ['a person has to do something', refusal('interaction_required'), OVER],
    ['in the words of one provider', refusal('bad_refresh_token', 200), OVER],
    ['in the words of another', refusal('invalid_refresh_token', 200), OVER],
    ['as a token of any kind', refusal('invalid_token', 401), OVER],
    ['for this client', refusal('unauthorized_client', 403), OVER],
    ['as something it never does', refusal('unsupported_grant_type'), OVER],
    ['for a while', refusal('temporarily_unavailable'), 'oauth_unavailable'],
    ['in a word that may be about anything', refusal('Not Found', 404), 'oauth_refused'],
  ])('%s', async (_what, answer, code) => {
    const auth = { type: 'oauth', issuer: server.origin, clientId: 'hub' };
    connector = parseConnector('c', { url: server.url, auth }, { source: 'file', now: 1 });
    const credential = await signIn();
    server.answer('/token', answer);
    expect(await codeOf(flow.refresh(connector, credential))).toBe(code);
  });

  test('as one of a client that was registered beforehand and is wrong wants no person', async () => {
    const auth = { type: 'oauth', issuer: server.origin, clientId: 'hub' };
    connector = parseConnector('c', { url: server.url, auth }, { source: 'file', now: 1 });
    const credential = await signIn();
    server.answer('/token', refusal('invalid_client', 401));
    expect(await codeOf(flow.refresh(connector, credential))).toBe('oauth_refused');
  });
});

const registrations = (): number => server.seen.filter((line) => line === 'POST /register').length;

describe('a registration that the server has forgotten', () => {
  /** Knows only clients that registered since it last forgot them all. */
  const forgetful = (): (() => void) => {
    let made = 0;
    let known = 0;
    server.answer('/register', (...parts) => json({ client_id: `made-${(known = ++made)}` }, 201)(...parts));
    server.answer('/token', (request, response, body) => {
      const isKnown = new URLSearchParams(body).get('client_id') === `made-${known}`;
      const isCode = body.includes('authorization_code');
      const refused = isKnown ? refusal('invalid_grant') : refusal('invalid_client', 401);
      (isKnown && isCode ? json(TOKENS) : refused)(request, response, body);
    });
    return () => {
      known = 0;
      passedMs += WHILE_MS;
    };
  };

  test('B6.12: wants a sign-in when a token is to be renewed, with which it is made anew, once', async () => {
    const forget = forgetful();
    const credential = await signIn();
    forget();
    expect(await codeOf(flow.refresh(connector, credential))).toBe(OVER);
    expect((await signIn()).grant?.clientId).toBe('made-2');
    expect(registrations()).toBe(2);
  });

  test('is made anew for a sign-in, because at the server it would only be told to the person', async () => {
    const forget = forgetful();
    expect((await begin()).clientId).toBe('made-1');
    expect((await begin()).clientId).toBe('made-1');
    forget();
    expect((await begin()).clientId).toBe('made-2');
    expect((await begin()).clientId).toBe('made-2');
    expect(registrations()).toBe(2);
  });

  test('is not asked about while it is new', async () => {
    forgetful();
    for (let i = 0; i < 3; i++) expect((await begin()).clientId).toBe('made-1');
    expect(server.seen.filter((line) => line === 'POST /token')).toEqual([]);
  });

  test('stays where the server cannot be asked', async () => {
    expect((await begin()).clientId).toBe('made');
    passedMs = WHILE_MS;
    server.answer('/token', json({}, 503));
    expect((await begin()).clientId).toBe('made');
    expect(registrations()).toBe(1);
  });
});

describe('C62: an authorization server that is gone', () => {
  test('is waited for while the service names it', async () => {
    const old = await open();
    server.answer(
      '/.well-known/oauth-protected-resource/mcp',
      json({ resource: server.url, authorization_servers: [old.origin] }),
    );
    const credential = await signIn();
    await old.close();
    expect(await codeOf(flow.refresh(connector, credential))).toBe('oauth_unavailable');
  });

  test('is not, once the service names another: a person has to sign in there', async () => {
    const old = await open();
    const naming = (issuer: string): void =>
      server.answer(
        '/.well-known/oauth-protected-resource/mcp',
        json({ resource: server.url, authorization_servers: [issuer] }),
      );
    naming(old.origin);
    const credential = await signIn();
    await old.close();
    naming(server.origin);
    const before = server.seen.length;
    expect(await codeOf(flow.refresh(connector, credential))).toBe(OVER);
    expect(server.seen.slice(before)).not.toContain('POST /token');
    expect((await signIn()).grant?.issuer).toBe(goodServer(server.origin)['issuer']);
  });
});
