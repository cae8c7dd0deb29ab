import { expect, test } from 'vitest';
import { PublicUrl } from './public-url.js';

test.each([
  ['https://hub.example', 'https://hub.example'],
  ['https://hub.example/', 'https://hub.example'],
  ['HTTPS://Hub.Example:443/', 'https://hub.example'],
  ['http://hub.example:80', 'http://hub.example'],
  ['https://hub.example:8443', 'https://hub.example:8443'],
])('%s is told as others compare it', (configured, expected) => {
  const url = new PublicUrl(configured);
  url.listening('http://127.0.0.1:8080');
  expect([url.get(), url.of('/mcp')]).toEqual([expected, `${expected}/mcp`]);
});

test('without a setting it is where the hub listens', () => {
  const url = new PublicUrl(undefined);
  expect(() => url.get()).toThrow('before it listens');
  url.listening('http://127.0.0.1:8080');
  expect(url.get()).toBe('http://127.0.0.1:8080');
});
