import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MessageStream } from './message-stream.js';

const decoder = new TextDecoder();

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open() {
  let gone = 0;
  const stream = new MessageStream({ keepAliveMs: 15_000, stallMs: 60_000, onGone: () => gone++ });
  const reader = stream.readable.getReader();
  const read = async (): Promise<string | undefined> => {
    const { done, value } = await reader.read();
    return done ? undefined : decoder.decode(value);
  };
  return { stream, reader, read, gone: () => gone };
}

test('what was sent is read in one piece, of progress the newest, and then it ends', async () => {
  const { stream, read, gone } = open();
  for (const progress of [1, 2, 3]) stream.send({ type: 'progress', progress } as never);
  stream.send({ type: 'result' });
  stream.end();
  stream.send({ type: 'late' });
  expect(await read()).toBe(
    'event: progress\ndata: {"type":"progress","progress":3}\n\nevent: result\ndata: {"type":"result"}\n\n',
  );
  expect(await read()).toBeUndefined();
  expect([gone(), vi.getTimerCount()]).toEqual([0, 0]);
});

test('a reader that waits is given signs of life', async () => {
  const { read } = open();
  const waiting = read();
  await vi.advanceTimersByTimeAsync(15_000);
  expect(await waiting).toBe(': keep-alive\n\n');
});

test('a client that does not read is let go, and does not wait for ever when it reads again', async () => {
  const { stream, reader, gone } = open();
  for (let second = 0; second < 60; second++) {
    stream.send({ type: 'progress' });
    expect(gone()).toBe(0);
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(gone()).toBe(1);
  stream.end();
  await expect(reader.read()).rejects.toThrow('the client does not read');
  await expect(reader.closed).rejects.toThrow('the client does not read');
  expect([gone(), vi.getTimerCount()]).toEqual([1, 0]);
});

test('a client that leaves is told of once, and nothing is kept for it', async () => {
  const { stream, reader, gone } = open();
  stream.send({ type: 'started' });
  await reader.cancel();
  await reader.cancel();
  stream.send({ type: 'progress' });
  stream.end();
  expect([gone(), vi.getTimerCount()]).toEqual([1, 0]);
});
