import { expect, test } from 'vitest';
import { hideSecrets } from './hide-secrets.js';

function hide(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  known: Readonly<Record<string, string>> = {},
) {
  const { variables, ...rest } = hideSecrets('db', { args, env, known });
  return {
    ...rest,
    variables: Object.fromEntries(Object.entries(variables).map(([name, secret]) => [name, secret.reveal()])),
  };
}

test.each<readonly [string, readonly string[], readonly string[], Readonly<Record<string, string>>]>([
  ['after a flag', ['--api-key', 'abc'], ['--api-key', '${env:API_KEY}'], { API_KEY: 'abc' }],
  ['in a flag', ['--api-key=abc'], ['--api-key=${env:API_KEY}'], { API_KEY: 'abc' }],
  [
    'in a pair',
    ['-e', 'GITHUB_TOKEN=abc'],
    ['-e', 'GITHUB_TOKEN=${env:GITHUB_TOKEN}'],
    { GITHUB_TOKEN: 'abc' },
  ],
  [
    'in a header',
    ['--header', 'Authorization: Bearer abc'],
    ['--header', 'Authorization: Bearer ${env:AUTHORIZATION}'],
    { AUTHORIZATION: 'abc' },
  ],
  ['in an address', ['postgres://a:b@c/d'], ['${env:ARGUMENT_1}'], { ARGUMENT_1: 'postgres://a:b@c/d' }],
  [
    'nowhere',
    ['-y', '@scope/server-2024-with-a-long-name', '--port', '8080', '--key-file', '/k.pem'],
    ['-y', '@scope/server-2024-with-a-long-name', '--port', '8080', '--key-file', '/k.pem'],
    {},
  ],
  ['as a reference already', ['--token', '${env:MINE}'], ['--token', '${env:MINE}'], {}],
])('a secret %s', (_, args, expected, variables) => {
  expect(hide(args)).toEqual({ args: expected, env: {}, variables });
});

test('variables of the command are hidden by name or by look, others stay', () => {
  expect(hide([], { DB_TOKEN: 'abc', ROOT: '/srv', LATER: '${env:LATER}' })).toEqual({
    args: [],
    env: { DB_TOKEN: '${env:DB_TOKEN}', ROOT: '/srv', LATER: '${env:LATER}' },
    variables: { DB_TOKEN: 'abc' },
  });
});

test('a name that stands for another value is not taken', () => {
  expect(hide([], { TOKEN: 'new' }, { TOKEN: 'old' }).variables).toEqual({ DB_TOKEN: 'new' });
  expect(hide([], { TOKEN: 'new' }, { TOKEN: 'new' }).variables).toEqual({ TOKEN: 'new' });
  expect(hide([], { TOKEN: 'new' }, { TOKEN: 'old', DB_TOKEN: 'older' }).variables).toEqual({
    UPSTREAM_DB_TOKEN_2: 'new',
  });
  expect(hide(['--token', 'one'], { TOKEN: 'two' }).variables).toEqual({ TOKEN: 'one', DB_TOKEN: 'two' });
});

test("the hub's own settings are never taken for a secret's name", () => {
  expect(hide([], { CROSSPOINT_ADMIN_TOKEN: 'abc' }).variables).toEqual({ DB_CROSSPOINT_ADMIN_TOKEN: 'abc' });
  expect(hide([], { MCP_TOKEN: 'abc' }).variables).toEqual({ DB_MCP_TOKEN: 'abc' });
});
