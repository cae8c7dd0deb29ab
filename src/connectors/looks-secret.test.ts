import { expect, test } from 'vitest';
import { isSecretSetting, looksSecret, passwordIn } from './looks-secret.js';

const SECRET: readonly (readonly [string, string])[] = [
  ['API_KEY', 'abc'],
  ['githubToken', 'abc'],
  ['DB_PASSWORD', 'hunter2'],
  ['DATABASE_URL', 'postgres://app:hunter2@db/app'],
  ['ANYTHING', 'ghp_0123456789abcdef0123456789abcdef0123'],
  ['ANYTHING', 'sk-proj-0123456789'],
  ['ANYTHING', 'eyJhbGciOi.eyJzdWIi.sig'],
  ['SOME_ID', '3f9a1c02d4e5f60718293a4b5c6d7e8f'],
  ['SERVICE_URL_KEY', 'https://example.com/?key=1'],
  ['AUTH', 'xyz'],
];
const PLAIN: readonly (readonly [string, string])[] = [
  ['LOG_LEVEL', 'debug'],
  ['ROOT', '/srv/files'],
  ['MAX_TOKENS', '4096'],
  ['USE_AUTH', 'true'],
  ['AUTHOR', 'Jane Doe'],
  ['PATH', '/usr/local/bin/with-2-numbers-in-it'],
  ['GOOGLE_APPLICATION_CREDENTIALS', '/home/me/key.json'],
  ['TOKEN_URL', 'https://login.example.com/token'],
  ['HOST', 'node1.internal-network.example.com'],
  ['API_KEY', ''],
  ['REGION', 'eu-central-1'],
];

test.each(SECRET)('%s=%s is a secret', (name, value) => {
  expect(looksSecret(name, value)).toBe(true);
});
test.each(PLAIN)('%s=%s is none', (name, value) => {
  expect(looksSecret(name, value)).toBe(false);
});

test.each([
  ['api_key', 'abcdefgh', true],
  ['key', 'true', false],
  ['some_id', '3f9a1c02d4e5f60718293a4b5c6d7e8f', false],
])('that %s=%s is a secret say name and value: %s', (name, value, expected) => {
  expect(isSecretSetting(name, value)).toBe(expected);
});

test.each([
  ['postgres://app:hunter22@db/app', 'hunter22'],
  ['redis://:hunter22@cache:6379', 'hunter22'],
  ['amqp://a:b:c@queue', 'b:c'],
  ['https://example.com/a:b@c', undefined],
  ['postgres://db/app', undefined],
])('the password in %s is %s', (value, expected) => {
  expect(passwordIn(value)).toBe(expected);
});
