import { describe, expect, test } from 'vitest';
import { createSingleSignOn, type BegunSignIn, type SingleSignOnSettings } from './single-sign-on.js';

const SETTINGS: SingleSignOnSettings = {
  issuer: new URL('https://idp.example/'),
  clientId: 'hub',
  clientSecret: undefined,
  scopes: [],
  claim: 'groups',
  roles: { owner: ['root'], operator: ['ops', 'oncall'], viewer: ['staff'] },
  agents: { build: 'ci', nobody: '' },
};

const begun: BegunSignIn = {
  issuer: 'https://idp.example/',
  redirectUri: 'https://hub.example/callback',
  state: 's',
  nonce: 'n',
  codeVerifier: 'v',
  authorizationUrl: 'https://idp.example/authorize',
};

/** An exchange that says what it was asked. */
function open(settings?: SingleSignOnSettings) {
  const asked: unknown[][] = [];
  const signOn = createSingleSignOn({
    begin: (...given) => {
      asked.push(['begin', ...given]);
      return Promise.resolve(begun);
    },
    finish: (...given) => {
      asked.push(['finish', ...given]);
      return Promise.resolve({ issuer: begun.issuer, id: 'anna', values: [] });
    },
  });
  signOn.configure(settings);
  return { signOn, asked };
}

test('without a provider there is nothing', async () => {
  const { signOn, asked } = open();
  expect(signOn.provider).toBeUndefined();
  await expect(signOn.begin('https://hub.example/callback')).rejects.toMatchObject({ code: 'not_found' });
  await expect(signOn.finish(begun, new URLSearchParams())).rejects.toMatchObject({ code: 'not_found' });
  expect(signOn.principalOf('https://idp.example/', ['root'], 'anna')).toBeUndefined();
  expect(asked).toEqual([]);
});

test('with one, it is asked, and whoever waits may give up', async () => {
  const { signOn, asked } = open(SETTINGS);
  const { signal } = new AbortController();
  const answer = new URLSearchParams({ code: 'c' });
  expect(signOn.provider).toBe('idp.example');
  expect(await signOn.begin(begun.redirectUri, signal)).toBe(begun);
  expect(await signOn.finish(begun, answer, signal)).toMatchObject({ id: 'anna' });
  expect(asked).toEqual([
    ['begin', SETTINGS, begun.redirectUri, signal],
    ['finish', SETTINGS, begun, answer, signal],
  ]);
});

test('an answer for a provider of before is refused', async () => {
  const { signOn, asked } = open({ ...SETTINGS, issuer: new URL('https://other.example/') });
  await expect(signOn.finish(begun, new URLSearchParams())).rejects.toMatchObject({ code: 'oauth_refused' });
  expect(asked).toEqual([]);
});

describe('whom the settings make of it', () => {
  test.each([
    [['root'], { kind: 'admin', id: 'oidc:anna', role: 'owner' }],
    [['oncall'], { kind: 'admin', id: 'oidc:anna', role: 'operator' }],
    [['staff', 'ops'], { kind: 'admin', id: 'oidc:anna', role: 'operator' }],
    [['other', 'staff'], { kind: 'admin', id: 'oidc:anna', role: 'viewer' }],
    [['build', 'staff'], { kind: 'admin', id: 'oidc:anna', role: 'viewer' }],
    [['other', 'build'], { kind: 'agent', id: 'ci' }],
    [['nobody'], undefined],
    [['constructor'], undefined],
    [['toString', '__proto__'], undefined],
    [['Root'], undefined],
    [[], undefined],
  ])('%j', (values, expected) => {
    expect(open(SETTINGS).signOn.principalOf('https://idp.example/', values, 'anna')).toEqual(expected);
  });

  test('nobody of another provider', () => {
    expect(open(SETTINGS).signOn.principalOf('https://idp.example', ['root'], 'anna')).toBeUndefined();
  });
});
