import { expect, test } from 'vitest';
import { isLoopback, LOOPBACK_NAMES } from './index.js';

test.each([...LOOPBACK_NAMES, '::1', '127.255.0.3'])('%s is this machine', (host) => {
  expect(isLoopback(host)).toBe(true);
});

test.each(['127.example.com', 'localhost.example.com', '127.0.0', '0.0.0.0', '10.0.0.1', '[::2]', ''])(
  '"%s" is not',
  (host) => {
    expect(isLoopback(host)).toBe(false);
  },
);
