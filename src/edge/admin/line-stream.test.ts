import { expect, test } from 'vitest';
import { toLines } from './line-stream.js';

async function* documents(): AsyncGenerator<object> {
  yield [{ a: 1 }, { a: 2 }];
  yield { a: 3 };
}

test('each document is a line, also where several come at once', async () => {
  let closed = 0;
  const stream = toLines(documents(), { signal: new AbortController().signal, onClose: () => closed++ });
  expect(await new Response(stream).text()).toBe('{"a":1}\n{"a":2}\n{"a":3}\n');
  expect(closed).toBe(1);
});

test('it is over for a client that left before it began', async () => {
  let closed = 0;
  const stream = toLines(documents(), { signal: AbortSignal.abort(), onClose: () => closed++ });
  expect(closed).toBe(1);
  expect(await new Response(stream).text()).toBe('');
  expect(closed).toBe(1);
});
