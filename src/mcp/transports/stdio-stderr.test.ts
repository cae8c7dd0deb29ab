import { once } from 'node:events';
import { PassThrough } from 'node:stream';

import { afterEach, expect, test } from 'vitest';

import { closePeers, openPeer } from '../../../test/support/stdio/peers.js';
import { until } from '../../../test/support/stdio/recorder.js';
import { StderrLog } from './stdio-stderr.js';

const RECENT_BYTES = 64 * 1024;

afterEach(closePeers);

function openLog(onLine?: (line: string) => void) {
  const stream = new PassThrough();
  const dropped: number[] = [];
  const log = new StderrLog({ stream, onLine, onDropped: (count) => dropped.push(count) });
  const write = async (data: string | Buffer) => {
    stream.write(data);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { log, stream, write, dropped };
}

test('C50: lines are handed on without control characters, cut at a sane length', async () => {
  const lines: string[] = [];
  const { heard, transport } = await openPeer(['noise.mjs', 'stderr-lines'], {
    onStderr: (line) => lines.push(line),
  });
  await heard.ending();
  expect(lines).toEqual(['one', 'two bold', 'y'.repeat(4096), 'last']);
  expect(transport.recentStderr()).toBe(`one\ntwo bold\n${'y'.repeat(10_000)}\nlast`);
});

test('B3.7, P-5: a flood is bounded in lines, bytes and time, and the child still serves', async () => {
  let lines = 0;
  const { heard, transport } = await openPeer(['noise.mjs', 'stderr-flood'], { onStderr: () => lines++ });
  const cpu = process.cpuUsage();
  const since = performance.now();
  await heard.notification('hello');
  await until(() => performance.now() - since > 1200, 'a second of flood');
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - since) / 1000;
  expect(lines).toBeGreaterThan(0);
  expect(lines).toBeLessThanOrEqual(100 * Math.ceil(seconds + 1));
  // Of one core. Far below when the machine is quiet; a flood that is read without a bound takes all of it.
  expect((user + system) / 1e6 / seconds).toBeLessThan(0.8);
  const recent = transport.recentStderr();
  expect(Buffer.byteLength(recent)).toBeLessThanOrEqual(RECENT_BYTES);
  expect(recent).toMatch(/^(?:grumble grumble\n)+/m);
  expect(recent).not.toMatch(/[\u001b\u0007]/);
  await until(() => heard.warnings.some(({ code }) => code === 'stderr'), 'a word on what was left out');
  expect(heard.endings).toEqual([]);
});

test('the ring keeps the end of what was written, however it was cut', async () => {
  const { log, write } = openLog();
  let all = '';
  for (let i = 0; i < 4000; i++) {
    const text = `line ${i} – ü\n`;
    all += text;
    await write(text);
    if (i % 500 === 0) expect(log.recent()).toBe(lastBytes(all));
  }
  expect(log.recent()).toBe(lastBytes(all));
  const long = 'z'.repeat(RECENT_BYTES + 1000);
  await write(`${long}end`);
  expect(log.recent()).toBe(`${'z'.repeat(RECENT_BYTES - 3)}end`);
});

/** The end of the text that fits, without a torn letter in front. */
function lastBytes(text: string): string {
  const bytes = Buffer.from(text);
  let from = Math.max(0, bytes.length - RECENT_BYTES);
  while (((bytes[from] ?? 0) & 0xc0) === 0x80) from++;
  return bytes.subarray(from).toString();
}

test('a chunk that fills the ring exactly', async () => {
  const { log, write } = openLog();
  await write('a'.repeat(RECENT_BYTES));
  expect(log.recent()).toBe('a'.repeat(RECENT_BYTES));
  await write('b');
  expect(log.recent()).toBe(`${'a'.repeat(RECENT_BYTES - 1)}b`);
});

test('lines over the rate are counted, and the count is told at the latest at the end', async () => {
  const lines: string[] = [];
  const { stream, write, dropped } = openLog((line) => lines.push(line));
  await write('x\n'.repeat(250));
  expect(lines.length).toBeGreaterThanOrEqual(100);
  stream.end();
  await once(stream, 'end');
  expect(lines.length + dropped.reduce((sum, count) => sum + count, 0)).toBe(250);
});
