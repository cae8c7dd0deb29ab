import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson, toMessage, TOLERANT_JSON } from '../jsonrpc/index.js';
import { readProgress } from './read-progress.js';

const METHOD = '"method":"notifications/progress"';
const VERSION = '"jsonrpc":"2.0"';
const read = (text: string) => toMessage(parseJson(text, TOLERANT_JSON));

test.each([
  `{${VERSION},${METHOD},"params":{"progressToken":7,"progress":1}}`,
  `{${VERSION},${METHOD},"params":{"progressToken":7,"progress":1,"total":20}}`,
  `{${VERSION},${METHOD},"params":{"progressToken":0,"progress":0.25,"total":1,"message":"a quarter – ¼"}}`,
  `{${METHOD},"params":{"progress":3,"total":4,"progressToken":123456789012345},${VERSION}}`,
  `{${METHOD},"params":{"progress":3,"message":"","progressToken":5},${VERSION}}`,
])('read at once, and as the parser does: %s', (text) => {
  expect(readProgress(text)).toEqual(read(text));
});

test.each([
  `{${METHOD},"params":{"progressToken":7,"progress":1}}`,
  `{${VERSION},${METHOD},"params":{"progressToken":7,"progress":1},${VERSION}}`,
  `{${VERSION},"id":1,${METHOD},"params":{"progressToken":7,"progress":1}}`,
  `{${VERSION},${METHOD},"params":{"progressToken":"7","progress":1}}`,
  `{${VERSION},${METHOD},"params":{"progressToken":07,"progress":1}}`,
  `{${VERSION},${METHOD},"params":{"progressToken":9007199254740993,"progress":1}}`,
  `{${VERSION},${METHOD},"params":{"progressToken":7,"progress":1e3}}`,
  `{${VERSION},${METHOD},"params":{"progressToken":7,"progress":-1}}`,
  `{${VERSION},${METHOD},"params":{"progressToken":7,"progress":1.}}`,
  `{${VERSION},${METHOD},"params":{"progressToken":7,"progress":0.1234567890123456789}}`,
  `{${VERSION},${METHOD},"params":{"progressToken":7,"progress":1,"message":"a\\nb"}}`,
  `{${VERSION},${METHOD},"params":{"progressToken":7,"progress":1,"message":"a\nb"}}`,
  `{${VERSION},${METHOD},"params":{"progressToken":7,"progress":1,"more":2}}`,
  `{${VERSION},${METHOD},"params":{"progressToken":7,"progress":1}} `,
  `[{${VERSION},${METHOD},"params":{"progressToken":7,"progress":1}}]`,
])('left to the parser: %j', (text) => {
  expect(readProgress(text)).toBeUndefined();
});

test('whatever is read at once, the parser reads too, and the same', () => {
  const number = fc.oneof(
    fc.nat(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom('1.0', '00', '1e2', '-0', '999999999.99999', '1234567890'),
  );
  const member = fc.oneof(
    number.map((value) => `"progressToken":${value}`),
    number.map((value) => `"progress":${value}`),
    number.map((value) => `"total":${value}`),
    fc.string({ maxLength: 6 }).map((value) => `"message":"${value}"`),
  );
  fc.assert(
    fc.property(fc.array(member, { minLength: 2, maxLength: 4 }), fc.boolean(), (members, isFirst) => {
      const body = `${METHOD},"params":{${members.join(',')}}`;
      const text = isFirst ? `{${VERSION},${body}}` : `{${body},${VERSION}}`;
      const found = readProgress(text);
      if (found !== undefined) expect(found).toEqual(read(text));
    }),
    { numRuns: 2000 },
  );
});
