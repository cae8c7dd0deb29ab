import { expect, test } from 'vitest';
import { readOrdinaryHead } from './request-head.js';

const FIELDS = ['Host: hub', 'Content-Length: 12', 'accept: application/json', 'Authorization: Bearer k'];

test('headers are in one order, whatever the client sends them in', () => {
  const read = (fields: readonly string[]) =>
    readOrdinaryHead(['POST /mcp HTTP/1.1', ...fields].join('\r\n'), 4)?.headers;
  const expected = {
    accept: 'application/json',
    authorization: 'Bearer k',
    'content-length': '12',
    host: 'hub',
  };
  for (const fields of [FIELDS, FIELDS.toReversed(), FIELDS.toSorted()])
    expect(JSON.stringify(read(fields))).toBe(JSON.stringify(expected));
});

test('more headers than are allowed, or one given twice, are left to the other parser', () => {
  const read = (fields: readonly string[], most: number) =>
    readOrdinaryHead(['POST /mcp HTTP/1.1', ...fields].join('\r\n'), most);
  expect(read(FIELDS, 4)).toBeDefined();
  expect(read(FIELDS, 3)).toBeUndefined();
  expect(read([...FIELDS, 'HOST: hub'], 9)).toBeUndefined();
});
