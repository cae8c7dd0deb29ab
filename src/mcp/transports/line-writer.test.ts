import { Writable } from 'node:stream';

import { expect, test } from 'vitest';

import { LineWriter, type LineWriterOptions } from './line-writer.js';
import { TransportError } from './transport.js';

/** A pipe whose reader takes one write at a time, when the test says so. */
class Pipe extends Writable {
  readonly writes: string[] = [];
  #taken: ((error?: Error) => void) | undefined;

  constructor() {
    super({ decodeStrings: false, highWaterMark: 1 });
    this.on('error', () => {});
  }

  override _write(chunk: string, _encoding: string, callback: (error?: Error) => void): void {
    this.writes.push(chunk);
    this.#taken = callback;
  }

  take(error?: Error): void {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.(error);
  }
}

function openWriter(options: Partial<LineWriterOptions> = {}) {
  const pipe = new Pipe();
  const writer = new LineWriter({
    output: pipe,
    maxLineBytes: 1000,
    maxQueueBytes: 100,
    fullCode: 'STDIO_STDIN_FULL',
    ...options,
  });
  return { pipe, writer };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

async function faultOf(sending: Promise<void>): Promise<string> {
  const error: unknown = await sending.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof TransportError)) return 'none';
  return `${error.code} ${error.mayHaveArrived ? 'may have arrived' : 'has not arrived'}`;
}

test('what is sent in one turn goes out in one write and shares one promise', async () => {
  const { pipe, writer } = openWriter();
  const first = writer.write('a');
  expect(writer.write('é')).toBe(first);
  await Promise.resolve();
  void writer.write('c');
  await nextTurn();
  expect(pipe.writes).toEqual(['a\né\nc\n']);
  pipe.take();
  await expect(first).resolves.toBeUndefined();
});

test('what is sent while a write waits goes out together afterwards, in order', async () => {
  const { pipe, writer } = openWriter();
  void writer.write('a');
  await nextTurn();
  const later = [writer.write('b'), writer.write('c')];
  await nextTurn();
  expect(pipe.writes).toEqual(['a\n']);
  pipe.take();
  await nextTurn();
  expect(pipe.writes).toEqual(['a\n', 'b\nc\n']);
  pipe.take();
  await Promise.all(later);
  expect(writer.queuedBytes).toBe(0);
});

test('C49: a line break between tokens does not break the line', async () => {
  const { pipe, writer } = openWriter();
  void writer.write('{\r\n"a":1\n}');
  await nextTurn();
  expect(pipe.writes).toEqual(['{  "a":1 }\n']);
});

test('B3.9: a full queue refuses at once, and accepts again when the peer has read', async () => {
  const { pipe, writer } = openWriter();
  const first = writer.write('x'.repeat(60));
  await nextTurn();
  expect(await faultOf(writer.write('y'.repeat(50)))).toBe('STDIO_STDIN_FULL has not arrived');
  pipe.take();
  await first;
  void writer.write('y'.repeat(50));
  await nextTurn();
  expect(pipe.writes[1]).toBe(`${'y'.repeat(50)}\n`);
});

test('the queue is measured in bytes', async () => {
  const { writer } = openWriter();
  void writer.write('a');
  expect(await faultOf(writer.write('€'.repeat(40)))).toBe('STDIO_STDIN_FULL has not arrived');
});

test('a line larger than the queue passes when nothing waits', async () => {
  const { pipe, writer } = openWriter();
  void writer.write('x'.repeat(900));
  await nextTurn();
  expect(pipe.writes).toHaveLength(1);
});

test('a line over the limit is refused and does no harm', async () => {
  const { pipe, writer } = openWriter();
  expect(await faultOf(writer.write('x'.repeat(1001)))).toBe('STDIO_LINE_TOO_LONG has not arrived');
  void writer.write('a');
  await nextTurn();
  expect(pipe.writes).toEqual(['a\n']);
});

test('aborting takes a waiting line out of the queue, and only that', async () => {
  const { pipe, writer } = openWriter();
  void writer.write('a');
  await nextTurn();
  const abort = new AbortController();
  const withdrawn = writer.write('b', abort.signal);
  const kept = writer.write('c', new AbortController().signal);
  abort.abort();
  expect(await faultOf(withdrawn)).toBe('ABORTED has not arrived');
  expect(writer.queuedBytes).toBe(4);
  pipe.take();
  await nextTurn();
  expect(pipe.writes).toEqual(['a\n', 'c\n']);
  pipe.take();
  await kept;
});

test('a queue of withdrawn lines writes nothing', async () => {
  const { pipe, writer } = openWriter();
  void writer.write('a');
  await nextTurn();
  const abort = new AbortController();
  const withdrawn = faultOf(writer.write('b', abort.signal));
  abort.abort();
  pipe.take();
  await withdrawn;
  const later = writer.write('c');
  await nextTurn();
  expect(pipe.writes).toEqual(['a\n', 'c\n']);
  pipe.take();
  await later;
});

test('aborting does nothing to a line that is being written', async () => {
  const { pipe, writer } = openWriter();
  const abort = new AbortController();
  const sending = writer.write('a', abort.signal);
  await nextTurn();
  abort.abort();
  pipe.take();
  await expect(sending).resolves.toBeUndefined();
  expect(await faultOf(writer.write('b', abort.signal))).toBe('ABORTED has not arrived');
});

test('a failure tells written lines from waiting ones, and refuses later ones', async () => {
  const { pipe, writer } = openWriter();
  const written = writer.write('a');
  await nextTurn();
  const waiting = writer.write('b');
  const waitingWithSignal = writer.write('c', new AbortController().signal);
  pipe.take(new Error('EPIPE'));
  writer.fail('STDIO_EXITED', 'gone');
  expect(await faultOf(written)).toBe('STDIO_EXITED may have arrived');
  expect(await faultOf(waiting)).toBe('STDIO_EXITED has not arrived');
  expect(await faultOf(waitingWithSignal)).toBe('STDIO_EXITED has not arrived');
  expect(await faultOf(writer.write('d'))).toBe('STDIO_EXITED has not arrived');
});

test('the end writes what this turn brought', async () => {
  const { pipe, writer } = openWriter();
  const sending = writer.write('bye');
  writer.end('over');
  expect(pipe.writes).toEqual(['bye\n']);
  pipe.take();
  await expect(sending).resolves.toBeUndefined();
  expect(pipe.writableEnded).toBe(true);
  expect(await faultOf(writer.write('more'))).toBe('CONNECTION_CLOSED has not arrived');
});

test('the end drops what waits behind a stuck write', async () => {
  const { pipe, writer } = openWriter();
  const stuck = writer.write('a');
  await nextTurn();
  const waiting = writer.write('b');
  writer.end('over');
  expect(await faultOf(waiting)).toBe('CONNECTION_CLOSED has not arrived');
  pipe.destroy();
  pipe.take(new Error('destroyed'));
  expect(await faultOf(stuck)).toBe('CONNECTION_CLOSED may have arrived');
});

test('what the promises of one callback send is one write, and does not wait for other callbacks', async () => {
  const { pipe, writer } = openWriter();
  const seen = await new Promise<readonly string[]>((resolve) => {
    setImmediate(() => {
      for (const line of ['a', 'b', 'c']) void Promise.resolve().then(() => writer.write(line));
    });
    setImmediate(() => resolve([...pipe.writes]));
  });
  expect(seen).toEqual(['a\nb\nc\n']);
});
