import { expect, test } from 'vitest';
import { toPieces } from './policy-pieces.js';

const LONG = `permit(principal, action, resource) when { "${'x'.repeat(5_000)}" == "y" };`;

test.each([
  ['nothing', '', ['']],
  ['one statement', 'permit(principal, action, resource);', ['permit(principal, action, resource);']],
  ['statements that are long', `${LONG}\n${LONG}`, [LONG, `\n${LONG}`]],
  [
    'ends that are none',
    `// ; ${'x'.repeat(5_000)} ;\n"; ${'x'.repeat(5_000)} \\" ;" ;rest`,
    [`// ; ${'x'.repeat(5_000)} ;\n"; ${'x'.repeat(5_000)} \\" ;" ;`, 'rest'],
  ],
])('%s', (_, text, expected) => {
  const pieces = toPieces(text);
  expect(pieces.map((piece) => piece.text)).toEqual(expected);
});

test('a piece knows where it begins', () => {
  expect(toPieces(`${LONG}${LONG}\n\n ${LONG} x`).map(({ line, column }) => [line, column])).toEqual([
    [0, 0],
    [0, LONG.length],
    [0, 2 * LONG.length],
    [2, 1 + LONG.length],
  ]);
});
