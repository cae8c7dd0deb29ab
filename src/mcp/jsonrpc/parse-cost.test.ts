import { expect, test } from 'vitest';
import { JsonError, parseJson, TOLERANT_JSON, type JsonFault } from './index.js';

function faultOf(text: string): JsonFault | undefined {
  try {
    parseJson(text, TOLERANT_JSON);
    return undefined;
  } catch (error) {
    if (error instanceof JsonError) return error.fault;
    throw error;
  }
}

const list = (count: number, item: (i: number) => string): string =>
  `[${Array.from({ length: count }, (_, i) => item(i)).join()}]`;
const members = (count: number, key: (i: number) => string): string =>
  `{${Array.from({ length: count }, (_, i) => `"${key(i)}" :1`).join()}}`;

test.each<readonly [string, (count: number) => string, good: number, bad: number]>([
  ['small integers', (count) => list(count, (i) => String(i)), 1_900_000, 2_100_000],
  ['fractions', (count) => list(count, () => '1.5'), 450_000, 510_000],
  ['large integers', (count) => list(count, (i) => String(5_000_000_000 + i)), 450_000, 510_000],
  ['empty objects', (count) => list(count, () => '{}'), 600_000, 700_000],
  ['short texts that are all the same', (count) => list(count, () => '"same"'), 1_800_000, 2_100_000],
  ['short texts that are all new', (count) => list(count, (i) => `"${i}"`), 95_000, 105_000],
  ['long texts', (count) => list(count, (i) => `"a longer text ${i}"`), 600_000, 700_000],
  ['keys that are all new', (count) => members(count, (i) => `a longer key ${i}`), 90_000, 100_000],
  ['objects of one key each', (count) => list(count, (i) => `{"k${i}":1}`), 80_000, 90_000],
])(
  'J-7: %s are taken as long as parsing them takes no longer than a tenth of a second',
  (_name, build, good, bad) => {
    expect(faultOf(build(good))).toBeUndefined();
    expect(faultOf(build(bad))).toBe('nodes');
  },
);

test('J-7: a list of 10,000 tools in one page is not too much', () => {
  const property = (i: number, name: string): string =>
    `"${name}":{"type":"string","description":"What ${name} of tool ${i} is for, in some words"}`;
  const tool = (i: number): string =>
    `{"name":"tool_${i}","title":"T${i}","description":"Does the thing number ${i}","inputSchema":{"type":"object","properties":{${property(i, 'path')},${property(i, 'query')},${property(i, 'limit')}},"required":["path","query"]},"annotations":{"readOnlyHint":true}}`;
  expect(faultOf(`{"tools":${list(10_000, tool)}}`)).toBeUndefined();
});

test('texts that look alike from afar are still new', () => {
  const texts = list(120_000, (i) => `"aa${i.toString(36).padStart(6, 'a')}zz"`);
  expect(faultOf(texts)).toBe('nodes');
});
