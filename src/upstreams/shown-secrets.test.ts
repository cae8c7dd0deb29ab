import { describe, expect, test } from 'vitest';
import { parseConnector } from '../connectors/index.js';
import { ANONYMOUS, type Access } from '../credentials/index.js';
import { ShownSecrets } from './shown-secrets.js';

const URL = 'https://service.example/mcp';

function secretsOf(input: object, access: Access = ANONYMOUS): ShownSecrets {
  return new ShownSecrets(parseConnector('c', input, { source: 'file', now: 0 }), access);
}

function shownAs(headers: Readonly<Record<string, string>>): Access {
  return { id: 'shared:1', owner: 'shared', headers };
}

const values = (secrets: ShownSecrets): string[] => secrets.all.map(({ value }) => value);

describe('what is kept from callers', () => {
  test.each([
    ['a bearer token, without its scheme', { authorization: 'Bearer abc.def-123' }, ['abc.def-123']],
    ['a key', { 'x-api-key': 'k-0123456' }, ['k-0123456']],
    [
      'a password, packed and as it is',
      { authorization: `Basic ${Buffer.from('ada:correct-horse').toString('base64')}` },
      [Buffer.from('ada:correct-horse').toString('base64'), 'correct-horse'],
    ],
    ['nothing that may occur by chance', { 'x-api-key': '1234567' }, []],
    ['the longest first', { a: 'abcdefgh', b: 'abcdefghij' }, ['abcdefghij', 'abcdefgh']],
  ] as const)('%s', (_what, headers, expected) => {
    expect(values(secretsOf({ url: URL }, shownAs(headers)))).toEqual(expected);
  });

  test('a secret in the address', () => {
    expect(values(secretsOf({ url: `${URL}?api_key=0123456789&region=europe-west` }))).toEqual([
      '0123456789',
    ]);
  });

  test('variables of a process that are secrets by name and value', () => {
    const env = { SERVICE_TOKEN: 'abcdefgh', PROJECT: 'a-project-0123456789', KEY_FILE: '/etc/keys/service' };
    expect(values(secretsOf({ command: 'node', env }))).toEqual(['abcdefgh']);
  });

  test('the token before a renewal, and not the one before that', () => {
    let headers = { authorization: 'Bearer first-token' };
    const access = {
      id: 'oauth:1',
      owner: 'shared' as const,
      get headers() {
        return headers;
      },
    };
    const secrets = secretsOf({ url: URL }, access);
    expect(values(secrets)).toEqual(['first-token']);
    headers = { authorization: 'Bearer second-token' };
    expect(values(secrets)).toEqual(['second-token', 'first-token']);
    headers = { authorization: 'Bearer third-token' };
    expect(values(secrets)).toEqual(['second-token', 'third-token']);
  });
});

test('the word by which a secret is looked for needs no escapes in JSON', () => {
  const [secret] = secretsOf({ url: URL }, shownAs({ 'x-api-key': 'ab/cdefg+hi==' })).all;
  expect(secret?.word).toBe('cdefg');
});

test.each([
  [{ url: URL }, ANONYMOUS, true],
  [{ command: 'node' }, ANONYMOUS, true],
  [{ url: URL }, shownAs({}), false],
  [{ command: 'node', env: { TOKEN: 'abcdefgh' } }, ANONYMOUS, false],
])('%j as %o has nothing to keep: %s', (input, access, isEmpty) => {
  expect(secretsOf(input, access).isEmpty).toBe(isEmpty);
});
