import { expect, test } from 'vitest';
import { isJsonBody, readAccept } from './media-types.js';

test.each([
  [undefined, true, true],
  ['*/*', true, true],
  ['application/json, text/event-stream', true, true],
  ['text/event-stream;q=0.5,application/json', true, true],
  ['Application/JSON', true, false],
  ['application/*', true, false],
  ['text/*', false, true],
  ['text/event-stream', false, true],
  ['application/json;q=0, */*', true, true],
  ['application/json; q=0.000', false, false],
  ['text/html, image/png', false, false],
  ['', false, false],
  ['application/jsonx', false, false],
])('Accept: %s', (header, json, events) => {
  expect(readAccept(header)).toEqual({ json, events });
});

test.each([
  ['application/json', undefined, true],
  [' application/json ;charset="utf-8"', undefined, true],
  ['application/json;charset=utf8', 'identity', true],
  ['application/json; profile=x', undefined, true],
  ['application/json', 'gzip', false],
  ['application/json', 'identity, gzip', false],
  ['application/json; charset=latin1', undefined, false],
  ['application/json; charset', undefined, false],
  ['application/json, application/json', undefined, false],
  ['application/json-rpc', undefined, false],
  ['text/json', undefined, false],
  ['', undefined, false],
  [undefined, undefined, false],
])('Content-Type: %s, Content-Encoding: %s', (type, encoding, fine) => {
  expect(isJsonBody(type, encoding)).toBe(fine);
});
