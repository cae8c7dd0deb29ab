import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { until } from '../../../test/support/stdio/recorder.js';
import { PacedPipe } from './paced-pipe.js';
import { ReadPacer } from './read-pacer.js';

const lines = (count: number): string => Array.from({ length: count }, (_, n) => `line ${n}\n`).join('');
const FLOOD = lines(3_000);

function setUp() {
  const stream = new PassThrough({ highWaterMark: 1024 });
  let text = '';
  let steps = 0;
  const pipe = new PacedPipe({
    stream,
    pacer: new ReadPacer(),
    take: (bytes) => {
      text += bytes.toString();
      steps++;
    },
  });
  return { stream, pipe, text: () => text, steps: () => steps };
}

test('few lines are taken at once', async () => {
  const { stream, text, steps } = setUp();
  stream.write(lines(20));
  await until(() => steps() > 0, 'the lines');
  expect([text(), steps()]).toEqual([lines(20), 1]);
});

test('a flood is taken whole and in order, in many steps; the stream is not read meanwhile', async () => {
  const { stream, text, steps } = setUp();
  stream.write(FLOOD);
  while (!stream.isPaused()) await nextTurn();
  expect(text().length).toBeLessThan(FLOOD.length);
  stream.end('the end');
  await until(() => text() === `${FLOOD}the end`, 'all of it');
  expect(steps()).toBeGreaterThan(100);
  await until(() => stream.readableEnded, 'the end');
});

test('a line that is longer than one read is taken a piece in each turn', async () => {
  const { stream, text, steps } = setUp();
  const piece = 'x'.repeat(64 * 1024);
  for (let count = 0; count < 8; count++) stream.write(piece);
  await until(() => steps() > 0, 'the first piece');
  let turns = 1;
  for (let before = steps(); before < 8; turns++, before = steps()) {
    await nextTurn();
    expect(steps() - before).toBeLessThanOrEqual(1);
    if (turns > 10_000) throw new Error('it is not taken');
  }
  expect(turns).toBeGreaterThanOrEqual(8);
  expect(text()).toBe(piece.repeat(8));
});

describe('before a flood was taken', () => {
  async function begin() {
    const all = setUp();
    all.stream.write(FLOOD);
    all.stream.write('last words');
    while (!all.stream.isPaused()) await nextTurn();
    return all;
  }

  test('finish takes what was read, and nothing after it', async () => {
    const { stream, pipe, text } = await begin();
    pipe.finish();
    expect(text()).toBe(`${FLOOD}last words`);
    stream.end('too late');
    await until(() => stream.readableEnded, 'the end');
    pipe.finish();
    expect(text()).toBe(`${FLOOD}last words`);
  });

  test('hurry takes what was read, and all that follows, at once', async () => {
    const { stream, pipe, text, steps } = await begin();
    pipe.hurry();
    expect(text()).toBe(FLOOD);
    const before = steps();
    stream.end(lines(1_000));
    await until(() => stream.readableEnded, 'the end');
    expect(text()).toBe(`${FLOOD}last words${lines(1_000)}`);
    expect(steps() - before).toBeLessThan(10);
  });

  test('stop takes nothing more, and lets the writer end', async () => {
    const { stream, pipe, text } = await begin();
    const taken = text();
    pipe.stop();
    stream.end();
    await until(() => stream.readableEnded, 'the end');
    expect(text()).toBe(taken);
  });

  test('hold stops reading until release; what was read is taken', async () => {
    const { stream, pipe, text } = await begin();
    pipe.hold();
    await until(() => text().startsWith(FLOOD), 'what was read');
    await nextTurn();
    expect(stream.isPaused()).toBe(true);
    pipe.release();
    await until(() => text() === `${FLOOD}last words`, 'the rest');
  });
});
