import { expect, test } from 'vitest';
import { toReturnTarget } from './return-target.js';

test.each([
  ['/', '/'],
  ['/connectors', '/connectors'],
  ['/connectors/linear', '/connectors/linear'],
  ['/agents/ci', '/agents/ci'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['%2f%2fevil.example', '/'],
  ['/%2f%2fevil.example', '/'],
  ['javascript:alert(1)', '/'],
  ['data:text/html,x', '/'],
  ['https://evil.example/', '/'],
  ['/connectors/../../evil', '/'],
  ['/connectors//evil.example', '/'],
  ['/api/v1/connectors', '/'],
  [`/connectors/${'x'.repeat(10_000)}`, '/'],
])('B6.7 O-15: from %s a person goes back to %s', (given, path) => {
  expect(toReturnTarget(given, true)).toEqual({ kind: 'page', path });
  expect(toReturnTarget(given, false)).toEqual({ kind: 'page', path });
});

test('a program may wait on its own machine, a page may not', () => {
  const url = 'http://127.0.0.1:4711/done';
  expect(toReturnTarget(url, false)).toEqual({ kind: 'loopback', url });
  expect(toReturnTarget(url, true)).toEqual({ kind: 'page', path: '/' });
});

test.each([
  'http://127.0.0.1/done',
  'https://127.0.0.1:4711/done',
  'http://localhost:4711/',
  'http://127.0.0.1.evil.example:4711/',
  'http://127.0.0.1@evil.example:4711/',
  'http://user@127.0.0.1:4711/',
  'http://127.0.0.1:4711/#x',
  'http://10.0.0.1:4711/',
  'http://[::ffff:10.0.0.1]:4711/',
])('%s is no place on the own machine', (url) => {
  expect(toReturnTarget(url, false)).toEqual({ kind: 'page', path: '/' });
});

test('nowhere is nowhere', () => {
  expect(toReturnTarget(undefined, false)).toEqual({ kind: 'page', path: undefined });
});
