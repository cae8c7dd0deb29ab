import { expect, test } from 'vitest';
import { removeJsonMember } from './remove-json-member.js';

test.each([
  ['the only one', '{"c":{"a":1}}', '{"c":{}}'],
  ['the first', '{"c":{"a":1,"b":2}}', '{"c":{"b":2}}'],
  ['the last', '{"c":{"b":2, "a":1}}', '{"c":{"b":2}}'],
  ['one in the middle', '{"c":{"b":2,"a":1,"d":3}}', '{"c":{"b":2,"d":3}}'],
  ['one with a comma behind', '{"c":{\n  "b": 2,\n  "a": 1, // x\n},}', '{"c":{\n  "b": 2, // x\n},}'],
  [
    'the last of several lines',
    '{"c":{\n  "b": 2,\n  // about a\n  "a": {\n    "x": 1\n  }\n}}',
    '{"c":{\n  "b": 2\n  // about a\n}}',
  ],
  ['the last behind a comment with a comma', '{"c":{"b":2, /* x, y */ "a":1}}', '{"c":{"b":2 /* x, y */}}'],
  ['one that is not there', '{"c":{"b":1}}', '{"c":{"b":1}}'],
  ['one of a section that is not there', '{}', '{}'],
])('removes %s', (_, before, after) => {
  expect(removeJsonMember(before, ['c', 'a'])).toBe(after);
});
