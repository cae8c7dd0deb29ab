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
      { authorization: `Basic ${Buffer.from('ada:correct-horses').toString('base64')}` },
      [Buffer.from('ada:correct-horses').toString('base64'), 'correct-horses'],
    ],
    [
      'a key with signs that addresses encode, both ways',
      { 'x-api-key': 'ab/cdefg+hi==' },
      ['ab%2Fcdefg%2Bhi%3D%3D', 'ab/cdefg+hi=='],
    ],
    [
      'each cookie',
      { cookie: 'sid=0123456789; mode=dark; other=ab-cdefgh' },
      [
        'sid%3D0123456789%3B%20mode%3Ddark%3B%20other%3Dab-cdefgh',
        'sid=0123456789; mode=dark; other=ab-cdefgh',
        '0123456789',
        'ab-cdefgh',
      ],
    ],
    [
      'what stands under a name behind a scheme',
      { authorization: 'Token token="0123456789"' },
      ['token%3D%220123456789%22', String.raw`token=\"0123456789\"`, 'token="0123456789"', '0123456789'],
    ],
    [
      'but not parts of other headers',
      { 'x-settings': 'region=europe-west' },
      ['region%3Deurope-west', 'region=europe-west'],
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

  test.each([
    ['ab%2Fcdefg%2bhi%3D', ['ab%2Fcdefg%2Bhi%3D', 'ab%2Fcdefg%2bhi%3D', 'ab/cdefg+hi=']],
    ['abcde+fgh', ['abcde%20fgh', 'abcde%2Bfgh', 'abcde fgh', 'abcde+fgh']],
  ])('a secret in the address that is written as %s', (written, expected) => {
    expect(values(secretsOf({ url: `${URL}?api_key=${written}` }))).toEqual(expected);
  });

  test.each([
    [
      '/s/MzQ1Njc4OTAtYWJjZGVm1234/mcp',
      ['%2Fs%2FMzQ1Njc4OTAtYWJjZGVm1234%2Fmcp', '/s/MzQ1Njc4OTAtYWJjZGVm1234/mcp'],
    ],
    [
      '/mcp?k=MzQ1Njc4OTAtYWJjZGVm1234',
      ['%2Fmcp%3Fk%3DMzQ1Njc4OTAtYWJjZGVm1234', '/mcp?k=MzQ1Njc4OTAtYWJjZGVm1234'],
    ],
    ['/a-rather-long-name/of/an-address?region=europe-west', []],
  ])('the whole address, not its parts, where one looks generated: %s', (path, expected) => {
    expect(values(secretsOf({ url: `https://service.example${path}` }))).toEqual(expected);
  });

  test('not the variables of a process', () => {
    expect(values(secretsOf({ command: 'node', env: { SERVICE_TOKEN: 'abcdefgh' } }))).toEqual([]);
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
  const { all } = secretsOf({ url: URL }, shownAs({ 'x-api-key': 'ab/cdefg+hi==' }));
  expect(all.map(({ word }) => word)).toEqual(['2Fcdefg', 'cdefg']);
});

test.each([
  [{ url: URL }, ANONYMOUS, true],
  [{ command: 'node' }, ANONYMOUS, true],
  [{ url: URL }, shownAs({}), false],
  [{ url: `${URL}?api_key=0123456789` }, ANONYMOUS, false],
])('%j as %o has nothing to keep: %s', (input, access, isEmpty) => {
  expect(secretsOf(input, access).isEmpty).toBe(isEmpty);
});
