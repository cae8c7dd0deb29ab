import { describe, expect, test } from 'vitest';
import { HubError } from '../kernel/index.js';
import type { OAuthSettings } from './connector.js';
import { parseConnector } from './parse-connector.js';

function parse(auth: object, more: object = {}, source: 'file' | 'stored' = 'stored'): OAuthSettings {
  const connector = parseConnector(
    'c',
    { url: 'https://a.example/mcp', auth, ...more },
    { source, now: 1_000 },
  );
  if (connector.auth.type !== 'oauth' && connector.auth.type !== 'client_credentials')
    throw new Error('not OAuth');
  return connector.auth.settings;
}

test('only what was given is there, and secrets are wrapped', () => {
  expect(parse({ type: 'oauth' })).toEqual({});
  const settings = parse({
    type: 'oauth',
    clientId: 'i',
    clientSecret: 'very-secret',
    issuer: 'https://as.example',
    scopes: ['a', 'b:c'],
    authorizationParameters: { access_type: 'offline' },
  });
  expect(settings).toMatchObject({ clientId: 'i', issuer: 'https://as.example', scopes: ['a', 'b:c'] });
  expect(settings.clientSecret?.reveal()).toBe('very-secret');
  expect(JSON.stringify(settings)).not.toContain('very-secret');
});

describe('refused', () => {
  const client = { clientId: 'i', clientSecret: 's' };
  test.each<[string, object]>([
    ['auth.clientSecret', { type: 'oauth', clientSecret: 's' }],
    ['auth.clientAuth', { type: 'oauth', clientAuth: 'none' }],
    ['auth.clientAuth', { type: 'oauth', clientId: 'i', clientAuth: 'private_key_jwt' }],
    ['auth.clientAuth', { type: 'oauth', clientId: 'i', clientAuth: 'client_secret_basic' }],
    ['auth.clientAuth', { type: 'oauth', ...client, clientAuth: 'none' }],
    ['auth.clientAuth', { type: 'oauth', ...client, privateKey: 'k' }],
    ['auth.clientId', { type: 'client_credentials' }],
    ['auth.clientSecret', { type: 'client_credentials', clientId: 'i' }],
    ['auth', { type: 'client_credentials', ...client, authorizationEndpoint: 'https://as.example/a' }],
    ['auth', { type: 'oauth', unknown: 1 }],
    ['auth.scopes.0', { type: 'oauth', scopes: ['two words'] }],
    ['auth.tokenEndpoint', { type: 'oauth', tokenEndpoint: 'javascript:alert(1)' }],
    ['auth.tokenEndpoint', { type: 'oauth', tokenEndpoint: 'https://u:p@as.example/' }],
    ['auth.tokenEndpoint', { type: 'oauth', tokenEndpoint: 'http://as.example/' }],
    ['auth.issuer', { type: 'oauth', issuer: 'https://127.0.0.1/' }],
    ['auth.resource', { type: 'oauth', resource: 'https://a.example/#x' }],
    ['auth.authorizationParameters', { type: 'oauth', authorizationParameters: { State: 'x' } }],
  ])('%s %#', (field, auth) => {
    let caught: unknown;
    try {
      parse(auth);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(HubError);
    expect(caught).toMatchObject({ code: 'invalid_request', details: { field } });
  });

  test('a machine that signs in as itself has no account for each agent', () => {
    expect(() => parse({ type: 'client_credentials', ...client }, { credentialMode: 'per_agent' })).toThrow(
      /credentialMode/,
    );
  });
});

test('an operator may name an authorization server in a private network', () => {
  const auth = { type: 'oauth', issuer: 'http://127.0.0.1:9/' };
  expect(parse(auth, {}, 'file')).toEqual({ issuer: 'http://127.0.0.1:9/' });
  expect(parse(auth, { allowPrivateNetwork: true })).toEqual({ issuer: 'http://127.0.0.1:9/' });
});
