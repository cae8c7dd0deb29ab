import { expect, test } from 'vitest';
import { readCursor, writeCursor } from './task-cursor.js';

test('a cursor is read as it was written', () => {
  const position = { createdAt: 1_790_000_000_000, id: 't50' };
  expect(readCursor(writeCursor(position))).toEqual(position);
});

test.each(['bad', '{}', '[1,2]', '[1.5,"x"]', '[1e999,"x"]'])('%s is none', (made) => {
  const cursor = Buffer.from(made).toString('base64url');
  expect(() => readCursor(cursor)).toThrow(expect.objectContaining({ code: 'invalid_cursor' }) as Error);
});
