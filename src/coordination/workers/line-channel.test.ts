import { Duplex } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { LineChannel } from './line-channel.js';

const MEGABYTE = 'x'.repeat(1_000_000);

afterEach(() => void vi.useRealTimers());

/** To a process that reads only when it is told to. */
function open() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  let read = (): void => {};
  const stream = new Duplex({
    read() {},
    write: (_chunk, _encoding, done) => (read = done),
  });
  const onClose = vi.fn<() => void>();
  const channel = new LineChannel(stream, { services: {}, onClose });
  const say = async (megabytes: number): Promise<void> => {
    for (let said = 0; said < megabytes; said++) channel.tell('message', MEGABYTE);
    await new Promise(setImmediate);
  };
  return { stream, channel, onClose, say, read: () => read() };
}

test('one that reads nothing for ten seconds, while much waits for it, is given up', async () => {
  const { onClose, say } = open();
  await say(80);
  vi.advanceTimersByTime(9_000);
  await say(1);
  expect(onClose).not.toHaveBeenCalled();
  vi.advanceTimersByTime(3_000);
  await vi.waitFor(() => expect(onClose).toHaveBeenCalledOnce());
});

test('one that reads late, but reads, is not given up', async () => {
  const { channel, onClose, say, read } = open();
  for (let round = 0; round < 3; round++) {
    await say(80);
    vi.advanceTimersByTime(9_000);
    read();
    await new Promise(setImmediate);
    vi.advanceTimersByTime(2_000);
  }
  expect(onClose).not.toHaveBeenCalled();
  channel.close();
});

test('one for which too much waits is given up at once', async () => {
  const { onClose, say } = open();
  await say(300);
  await vi.waitFor(() => expect(onClose).toHaveBeenCalledOnce());
});
