import { expect, test } from 'vitest';
import { createGuard } from './guard.js';

const OWN = {
  hosts: ['hub.example', 'hub.example:8443', '10.0.0.5:80'],
  origins: ['https://app.example', 'http://localhost:5173'],
};

test.each([
  ['localhost', undefined],
  ['localhost:3000', undefined],
  ['LOCALHOST:3000', undefined],
  ['127.0.0.1:8080', undefined],
  ['[::1]:8080', undefined],
  ['evil.example', 403],
  ['localhost.evil.example', 403],
  ['127.0.0.1.evil.example', 403],
  ['127.0.0.2', 403],
  ['localhost.', 400],
  ['localhost, localhost', 400],
  ['user@localhost', 400],
  ['localhost:99999999', 400],
  ['', 400],
  [undefined, 400],
])('S4 H-6 H-7: Host %s', (host, status) => {
  expect(createGuard().check({ host })?.status).toBe(status);
});

test.each([
  [undefined, undefined],
  ['http://localhost', undefined],
  ['http://localhost:5173', undefined],
  ['https://127.0.0.1:1', undefined],
  ['http://[::1]:80', undefined],
  ['http://evil.example', 403],
  ['null', 403],
  ['', 403],
  ['http://localhost.evil.example', 403],
  ['http://127.0.0.1.evil.example', 403],
  ['http://127.0.0.1:80@evil.example', 403],
  ['http://localhost@evil.example', 403],
  ['file://', 403],
  ['file://localhost', 403],
  ['http://xn--loclhost-u0a.example', 403],
  ['http://localhost/path', 403],
  ['http://localhost, http://localhost', 403],
  ['javascript://localhost', 403],
])('S2 S3 H-28: Origin %s', (origin, status) => {
  expect(createGuard().check({ host: 'localhost', origin })?.status).toBe(status);
});

test.each([
  ['hub.example', undefined, undefined],
  ['hub.example:1', undefined, undefined],
  ['10.0.0.5:80', undefined, undefined],
  ['10.0.0.5', undefined, 403],
  ['10.0.0.5:81', undefined, 403],
  ['localhost', undefined, 403],
  ['hub.example', 'https://app.example', undefined],
  ['hub.example', 'http://localhost:5173', undefined],
  ['hub.example', 'http://localhost:5174', undefined],
  ['hub.example', 'http://app.example', 403],
  ['hub.example', 'https://app.example.evil', 403],
  ['evil.example', 'https://app.example', 403],
])('S5 H-30: Host %s, Origin %s, with names of our own', (host, origin, status) => {
  expect(createGuard(OWN).check({ host, origin })?.status).toBe(status);
});

test('an authority in the target counts instead of the header', () => {
  expect(createGuard().check({ host: 'localhost' }, 'evil.example')?.status).toBe(403);
});

test.each(['*', 'null', 'https://a.example/path', 'a.example'])('%s is no origin to allow', (origin) => {
  expect(() => createGuard({ origins: [origin] })).toThrow(TypeError);
});
