import { expect, test } from 'vitest';
import { AnswerReader, type HttpAnswer } from './answer-reader.js';

function read(pieces: readonly string[]): readonly HttpAnswer[] {
  const answers: HttpAnswer[] = [];
  const reader = new AnswerReader((answer) => answers.push(answer));
  for (const piece of pieces) reader.push(Buffer.from(piece));
  return answers;
}

const WITH_LENGTH = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';
const IN_CHUNKS = 'HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n';
const EMPTY_CHUNKS = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n';

test.each([
  [WITH_LENGTH, 200, 'hello'],
  [IN_CHUNKS, 202, '5\r\nhello\r\n0\r\n\r\n'],
  [EMPTY_CHUNKS, 200, '0\r\n\r\n'],
])('%j is one answer, however it arrives', (text, status, body) => {
  expect(read([text])).toMatchObject([{ status, body }]);
  expect(read([...text])).toMatchObject([{ status, body }]);
  expect(read([text, text])).toHaveLength(2);
  expect(read([text.slice(0, -1)])).toEqual([]);
});

test('what cannot be told apart is refused', () => {
  expect(() => read([WITH_LENGTH + WITH_LENGTH])).toThrow('more than one answer');
  expect(() => read(['HTTP/1.1 200 OK\r\n\r\n'])).toThrow('without a length');
});
