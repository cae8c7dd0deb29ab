import { expect, test } from 'vitest';
import { Secret } from '../kernel/index.js';
import type { ConnectorAuth } from './connector.js';
import { inlineSecrets, isOAuth, namedServers } from './connector-auth.js';

const secret = new Secret('abc');
const issuer = 'https://id.example.com';

test.each<[ConnectorAuth, string[]]>([
  [{ type: 'none' }, []],
  [{ type: 'bearer', token: secret }, ['token']],
  [{ type: 'bearer', token: undefined }, []],
  [{ type: 'api_key', header: 'x-key', value: secret }, ['value']],
  [{ type: 'header', headers: ['a', 'b'], values: { b: secret } }, ['b']],
  [{ type: 'oauth', settings: { clientSecret: secret } }, []],
])('secrets beside the address of %o', (auth, names) => {
  expect(Object.keys(inlineSecrets(auth))).toEqual(names);
});

test('an address that moves from one place to another is another one', () => {
  const before = namedServers({ type: 'oauth', settings: { issuer } });
  expect(before).not.toEqual(namedServers({ type: 'oauth', settings: { tokenEndpoint: issuer } }));
  expect(namedServers({ type: 'bearer', token: secret })).toEqual([]);
});

test.each<[ConnectorAuth, boolean]>([
  [{ type: 'oauth', settings: {} }, true],
  [{ type: 'client_credentials', settings: {} }, true],
  [{ type: 'bearer', token: secret }, false],
])('%o comes from an authorization server: %s', (auth, expected) => {
  expect(isOAuth(auth)).toBe(expected);
});
