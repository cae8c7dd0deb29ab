import { describe, expect, test } from 'vitest';
import {
  isRegisteredRedirect,
  readClientMetadata,
  redirectSource,
  redirectTarget,
} from './client-metadata.js';

const GOOD = { redirect_uris: ['https://app.example/cb'] };

describe('what a client says of itself', () => {
  test('is reduced to what counts', () => {
    expect(
      readClientMetadata({
        ...GOOD,
        client_name: 'Tool & Co',
        client_uri: 'https://app.example/',
        logo_uri: 'https://app.example/logo.svg',
        jwks_uri: 'http://169.254.169.254/',
        sector_identifier_uri: 'https://app.example/sector',
        scope: 'everything',
        token_endpoint_auth_method: 'client_secret_basic',
      }),
    ).toEqual({
      client_name: 'Tool & Co',
      client_uri: 'https://app.example/',
      redirect_uris: ['https://app.example/cb'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      application_type: 'native',
      token_endpoint_auth_method: 'none',
    });
  });

  test.each([
    ['nothing', undefined],
    ['a list', [GOOD]],
    ['a home page that is no text', { ...GOOD, client_uri: 5 }],
    ['a backslash', { redirect_uris: ['https://app.example\\@evil.example/'] }],
    ['a line break', { redirect_uris: ['https://app.example/\ncb'] }],
    ['a scheme alone', { redirect_uris: ['cursor:'] }],
    ['a scheme with slashes alone', { redirect_uris: ['cursor://'] }],
    ['vbscript', { redirect_uris: ['vbscript:x'] }],
    ['file', { redirect_uris: ['file:///etc/passwd'] }],
    ['blob', { redirect_uris: ['blob:https://app.example/x'] }],
    ['a loopback look-alike', { redirect_uris: ['http://127.0.0.1.evil.example/'] }],
    ['a long address', { redirect_uris: [`https://app.example/${'x'.repeat(2_000)}`] }],
    ['a paragraph separator in its name', { ...GOOD, client_name: 'a\u2029b' }],
  ])('is refused: %s', (_what, input) => {
    expect(() => readClientMetadata(input)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});

describe('where a client may be answered', () => {
  test.each<readonly [string, string, boolean]>([
    ['https://app.example/cb', 'https://app.example/cb', true],
    ['https://app.example/cb', 'https://app.example/cb/', false],
    ['https://app.example/cb', 'https://app.example:444/cb', false],
    ['https://app.example/cb', 'https://app.example/cb?x=1', false],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:5000/cb', true],
    ['http://127.0.0.1:4000/cb', 'http://127.0.0.1:5000/cb', true],
    ['http://[::1]/cb', 'http://[::1]:5000/cb', true],
    ['http://localhost/cb', 'http://localhost:5000/cb', true],
    ['http://localhost/cb', 'http://127.0.0.1:5000/cb', false],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:5000/other', false],
    ['http://127.0.0.1/cb', 'https://127.0.0.1:5000/cb', false],
    ['http://127.0.0.1/cb', 'http://user@127.0.0.1:5000/cb', false],
    ['http://127.0.0.1:7777/cb', 'http://127.1:7777/cb', false],
    ['http://127.0.0.1:7777/cb', 'http://2130706433:7777/cb', false],
    ['http://127.0.0.1:7777/cb', 'http://127.0.0.1:7777/x/../cb', false],
    ['http://127.0.0.1:7777/cb', 'http://127.0.0.1:7777/%63b', false],
    ['http://127.0.0.1:7777/cb', 'HTTP://127.0.0.1:7777/cb', false],
    ['http://127.0.0.1:7777/cb', 'http://127.0.0.1:77777/cb', false],
    ['http://127.0.0.1:7777/cb', 'http://127.0.0.1:@evil.example/cb', false],
    ['http://localhost/cb', 'http://LOCALHOST:5000/cb', false],
    ['http://[::1]/cb', 'http://[0:0:0:0:0:0:0:1]:5000/cb', false],
    ['http://127.0.0.1/cb?a=1', 'http://127.0.0.1:5000/cb?a=1', true],
    ['cursor://app/cb', 'cursor://app/cb', true],
    ['cursor://app/cb', 'cursor://other/cb', false],
  ])('%s, asked for %s: %s', (registered, asked, expected) => {
    expect(isRegisteredRedirect([registered], asked)).toBe(expected);
  });

  test('is told in words, and as a source of a policy', () => {
    expect(redirectTarget('http://127.0.0.1:5000/cb')).toBe('a program on this computer (127.0.0.1:5000)');
    expect(redirectTarget('https://app.example/cb')).toBe('app.example');
    expect(redirectTarget('cursor://app/cb')).toBe('the program that handles cursor://');
    expect(redirectSource('https://app.example/cb')).toBe('https://app.example');
    expect(redirectSource('cursor://app/cb')).toBe('cursor:');
  });
});
