import { expect, test } from 'vitest';
import { renderTable } from './table.js';

const plain = { columns: undefined, heading: (text: string) => text };

test('columns are aligned by what a terminal shows', () => {
  expect(
    renderTable(
      ['ID', 'NAME', 'X'],
      [
        ['a', '日本', '1'],
        ['long-id', 'é😀', '22'],
      ],
      plain,
    ),
  ).toBe(['ID       NAME  X', 'a        日本  1', 'long-id  é😀   22'].join('\n'));
});

test('on a narrow screen the last column is cut, the others are not', () => {
  const rows = [['name', 'a description that is much too long']];
  expect(renderTable(['ID', 'TEXT'], rows, { ...plain, columns: 20 })).toBe(
    'ID    TEXT\nname  a description…',
  );
  expect(renderTable(['ID', 'TEXT'], rows, { ...plain, columns: 3 })).toBe('ID    TEXT\nname  a descr…');
});

test('colour takes no room', () => {
  const paint = [(text: string) => `<${text}>`];
  expect(
    renderTable(
      ['A', 'B'],
      [
        ['x', 'y'],
        ['xx', 'z'],
      ],
      { ...plain, paint },
    ),
  ).toBe('A   B\n<x>   y\n<xx>  z');
});

test('what an upstream calls itself stays on its line', () => {
  expect(renderTable(['A'], [['x\n\u001b[31my\u202e\u{e0041}']], plain)).toBe(
    'A\nx\\n\\u{1b}[31my\\u{202e}\\u{e0041}',
  );
});
