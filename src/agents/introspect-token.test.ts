import { beforeEach, describe, expect, test } from 'vitest';
import { Secret } from '../kernel/index.js';
import { introspectToken } from './introspect-token.js';
import type { IssuerFetch } from './issuer-keys.js';

const NOW = 1_800_000_000;
const clock = { now: () => NOW * 1000, monotonic: () => 0 };
const introspection = {
  url: 'https://issuer.example/introspect',
  clientId: 'hub & co',
  clientSecret: new Secret('s:ö'),
};

let asked: { readonly url: string; readonly init: Parameters<IssuerFetch>[1] }[] = [];
beforeEach(() => {
  asked = [];
});

function introspect(answer: unknown, status = 200) {
  return introspectToken('opaque', {
    issuer: 'https://issuer.example',
    introspection,
    clock,
    fetch: (url, init) => {
      asked.push({ url, init });
      return Promise.resolve(
        new Response(typeof answer === 'string' ? answer : JSON.stringify(answer), { status }),
      );
    },
  });
}

test('asks as RFC 7662 has it, and says who asks', async () => {
  await introspect({ active: true });
  const [{ url, init } = { url: '', init: {} }] = asked;
  expect(url).toBe(introspection.url);
  expect(init?.method).toBe('POST');
  expect(Object.fromEntries(new URLSearchParams(init?.body))).toEqual({
    token: 'opaque',
    token_type_hint: 'access_token',
  });
  const { authorization, ...headers } = init?.headers ?? {};
  expect(headers).toEqual({
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  });
  const [scheme, pair = ''] = authorization?.split(' ') ?? [];
  expect([scheme, Buffer.from(pair, 'base64').toString()]).toEqual(['Basic', 'hub+%26+co:s%3A%C3%B6']);
  expect(init?.signal).toBeInstanceOf(AbortSignal);
});

test('what it says is handed on', async () => {
  const claims = { active: true, aud: ['a', 7], scope: 'b a', exp: NOW + 5, sub: 'u' };
  expect(await introspect(claims)).toEqual({
    audience: ['a'],
    scopes: ['a', 'b'],
    expiresAt: (NOW + 5) * 1000,
    all: claims,
  });
  expect(await introspect({ active: true })).toMatchObject({ expiresAt: Number.POSITIVE_INFINITY });
});

describe('a token is', () => {
  test.each([
    ['taken from its issuer', { iss: 'https://issuer.example' }],
    ['taken 59 s after its end', { exp: NOW - 59 }],
    ['taken 60 s before its beginning', { nbf: NOW + 60 }],
    ['taken after its beginning', { nbf: NOW - 1 }],
  ])('%s', async (_what, claims) => {
    expect(await introspect({ active: true, ...claims })).not.toHaveProperty('outcome');
  });

  test.each([
    ['refused where it is not active', { active: 'true' }, /accept/],
    ['refused where nothing says that it is', { active: undefined }, /accept/],
    ['refused from another issuer', { iss: 'https://issuer.example/' }, /iss/],
    ['refused 60 s after its end', { exp: NOW - 60 }, /expired/],
    ['refused with an end that is none', { exp: String(NOW + 60) }, /expired/],
    ['refused 61 s before its beginning', { nbf: NOW + 61 }, /nbf/],
    ['refused with a beginning that is none', { nbf: String(NOW - 60) }, /nbf/],
  ])('%s', async (_what, claims, reason) => {
    expect(await introspect({ active: true, ...claims })).toMatchObject({
      outcome: 'refused',
      error: 'invalid_token',
      reason: expect.stringMatching(reason) as string,
    });
  });

  test.each<[string, unknown, number?]>([
    ['an answer that is no JSON', '<html>'],
    ['an answer of another kind', '"yes"'],
    ['nothing', 'null'],
    ['an error', { active: true }, 500],
    ['an answer that is created', { active: true }, 201],
  ])('neither good nor bad after %s', async (_what, answer, status) => {
    expect(await introspect(answer, status)).toMatchObject({ outcome: 'refused', error: 'unavailable' });
  });
});
