import { describe, expect, test } from 'vitest';
import { coversServer, requireAddress, toResource } from './address.js';
import { AuthFailure } from './auth-failure.js';

describe('addresses that a server tells', () => {
  const long = (length: number): string =>
    `https://as.example/${'x'.repeat(length - 'https://as.example/'.length)}`;

  test.each(['https://as.example/token', 'http://127.0.0.1:8080/', 'https://as.example/a?b=c', long(2_048)])(
    '%.40s is taken',
    (address) => {
      expect(requireAddress(address, 'token endpoint').href).toBe(address);
    },
  );

  test.each([
    [undefined],
    [null],
    [['https://as.example/']],
    [new URL('https://as.example/')],
    ['as.example'],
    [''],
    [long(2_049)],
    ['ftp://as.example/'],
    ['javascript:alert(1)'],
    ['data:text/html,x'],
    ['https://user@as.example/'],
    ['https://:password@as.example/'],
    ['https://as.example/#fragment'],
  ])('%.40s is refused', (address) => {
    expect(() => requireAddress(address, 'token endpoint')).toThrow(AuthFailure);
  });
});

test.each([
  ['https://a.example/', 'https://a.example'],
  ['https://a.example/#x', 'https://a.example'],
  ['https://a.example/?x=1', 'https://a.example/?x=1'],
  ['https://a.example/mcp', 'https://a.example/mcp'],
  ['https://a.example/mcp/', 'https://a.example/mcp/'],
  ['https://a.example/mcp?x=1', 'https://a.example/mcp?x=1'],
])('C63: %s is the resource %s', (address, resource) => {
  expect(toResource(new URL(address))).toBe(resource);
});

describe('C56: metadata that speaks of a server', () => {
  test.each([
    ['https://a.example/mcp', true],
    ['https://a.example/mcp/', true],
    ['https://a.example', true],
    ['https://a.example/', true],
    ['https://a.example/mc', false],
    ['https://a.example/mcp/deeper', false],
    ['https://a.example/other', false],
    ['http://a.example/mcp', false],
    ['https://a.example:8443/mcp', false],
    ['https://b.example/mcp', false],
    ['https://a.example/mcp#x', false],
    ['https://user@a.example/mcp', false],
    ['https://:password@a.example/mcp', false],
    ['https://a.example/mcp?tenant=1', false],
    ['a.example/mcp', false],
  ])('%s: %s', (resource, expected) => {
    expect(coversServer(resource, new URL('https://a.example/mcp'))).toBe(expected);
  });

  test.each([
    ['https://a.example/mcp', true],
    ['https://a.example/mcp?tenant=1', true],
    ['https://a.example/?tenant=1', true],
    ['https://a.example/mcp?tenant=2', false],
  ])('of a server with a query, %s: %s', (resource, expected) => {
    expect(coversServer(resource, new URL('https://a.example/mcp?tenant=1'))).toBe(expected);
  });

  test('a folder covers what lies in it', () => {
    expect(coversServer('https://a.example/one/', new URL('https://a.example/one/two'))).toBe(true);
    expect(coversServer('https://a.example/one', new URL('https://a.example/one/two'))).toBe(true);
    expect(coversServer('https://a.example/one', new URL('https://a.example/onetwo'))).toBe(false);
    expect(coversServer('https://a.example/two', new URL('https://a.example/one/two'))).toBe(false);
  });
});
