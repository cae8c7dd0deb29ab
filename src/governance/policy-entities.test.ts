import { expect, test } from 'vitest';
import { parseJson, type JsonObject } from '../mcp/jsonrpc/index.js';
import { toCedarContext } from './policy-entities.js';

const NOW = { __extn: { fn: 'datetime', arg: '2026-01-01T00:00:00.000Z' } };
const at = Date.UTC(2026, 0, 1);

test('without arguments there is only the time, and what was used before where that is known', () => {
  expect(toCedarContext({}, at, 'any')).toEqual({ context: { now: NOW }, entities: [] });
  expect(toCedarContext({ seen: ['a'] }, at, 'any')).toEqual({
    context: { now: NOW, seen: ['a'] },
    entities: [],
  });
});

test('arguments are told by path, as text, and whole numbers as numbers too', () => {
  const args = parseJson(
    `{
      "a": "text", "b": 7, "c": 1.5, "d": true, "e": null, "f": 12345678901234567890, "g": -3,
      "list": [1, {"x": "y"}], "o": {"p.q": 1, "r\\\\s": 2, "": 3}, "none": {}, "__proto__": 4
    }`,
  ) as JsonObject;
  const { context, entities } = toCedarContext({ args: { ...args, gone: undefined } }, at, 'any');
  const [texts, numbers] = entities;
  expect(context).toEqual({ now: NOW, args: { __entity: texts?.uid }, numbers: { __entity: numbers?.uid } });
  expect(entities.map(({ uid, attrs, parents }) => [uid, attrs, parents])).toEqual([
    [{ type: 'Arguments', id: expect.any(String) as string }, {}, []],
    [{ type: 'Numbers', id: expect.any(String) as string }, {}, []],
  ]);
  expect({ ...texts?.tags }).toEqual({
    a: 'text',
    b: '7',
    c: '1.5',
    d: 'true',
    e: 'null',
    f: '12345678901234567890',
    g: '-3',
    'list.0': '1',
    'list.1.x': 'y',
    'o.p\\.q': '1',
    'o.r\\\\s': '2',
    'o.': '3',
    ['__proto__']: '4',
  });
  expect({ ...numbers?.tags }).toEqual({
    b: 7,
    g: -3,
    'list.0': 1,
    'o.p\\.q': 1,
    'o.r\\\\s': 2,
    'o.': 3,
    ['__proto__']: 4,
  });
});
