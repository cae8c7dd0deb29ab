import { afterEach, describe, expect, test, vi } from 'vitest';
import type { LogFields } from '../kernel/index.js';
import { createLogger, type LoggerOptions } from './logger.js';

function written(options: Omit<LoggerOptions, 'write'>) {
  const lines: string[] = [];
  return { lines, logger: createLogger({ ...options, write: (text) => void lines.push(text) }) };
}

const circle: Record<string, unknown> = {};
circle['self'] = circle;

describe('as JSON', () => {
  const check = (fields: LogFields, expected: LogFields) => {
    const { lines, logger } = written({ level: 'info', format: 'json' });
    logger.child({ part: 'upstreams' }).warn(fields, 'it\nhappened');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^[^\n]+\n$/);
    const { time, ...rest } = JSON.parse(lines[0] ?? '') as LogFields;
    expect(new Date(String(time)).toISOString()).toBe(time);
    expect(rest).toEqual({ level: 'warn', msg: 'it\nhappened', ...expected });
  };

  test('a line is one document', () => check({ count: 2 }, { part: 'upstreams', count: 2 }));
  test('fields are over those of the part', () => check({ part: 'x' }, { part: 'x' }));
  test('what is undefined is left out', () => check({ a: undefined }, { part: 'upstreams' }));
  test('fields that cannot be written are lost, not the line', () => check({ circle }, {}));
  test('the message cannot be replaced by a field', () => check({ msg: 'other' }, { part: 'upstreams' }));

  test('B7.4: what came from outside can neither end the line nor act on a terminal, and is there as it was', () => {
    const { lines, logger } = written({ level: 'info', format: 'json' });
    const error = 'no\r\n\u2028{"level":"info"}\u2029\u0085\u009b2J\u007f\u202e\u{e0041} – größer 😀';
    logger.warn({ error }, 'failed');
    expect(lines[0]?.match(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu)).toEqual(['\n']);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ error });
    expect(lines[0]).toContain('größer 😀');
  });
});

test('for people: time, level, message, fields', () => {
  const { lines, logger } = written({ level: 'debug', format: 'pretty' });
  logger.child({ part: 'a' }).info({ list: ['b'], gone: undefined, circle, size: 1n }, 'done');
  expect(lines).toEqual([expect.stringMatching(/^\d\d:\d\d:\d\d info {2}done part=a list=\["b"\]\n$/)]);
});

test('for people: what came from outside cannot move the cursor or begin another line', () => {
  const { lines, logger } = written({ level: 'debug', format: 'pretty' });
  const error = 'no\n12:00:00 info  all is well \u001b[2J\u009b\u202e';
  logger.warn({ error, list: ['\u202e'] }, 'failed');
  expect(lines[0]?.slice(9)).toBe(
    String.raw`warn  failed error="no\n12:00:00 info  all is well \u001b[2J\u009b\u202e" list=["\u202e"]` +
      '\n',
  );
});

describe('lines of a lower level are left out', () => {
  const all = ['debug', 'info', 'warn', 'error'] as const;
  test.each([
    ['debug', [...all]],
    ['info', ['info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
    ['silent', []],
  ])('%s', (level, expected) => {
    const { lines, logger } = written({ level, format: 'json' });
    for (const name of all) logger.child({}).child({})[name]({}, name);
    expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(expected);
  });
});

describe('B7.5: lines that say the same', () => {
  afterEach(() => void vi.useRealTimers());

  test('are ten in a minute, and then how many more there were', () => {
    vi.useFakeTimers();
    const { lines, logger } = written({ level: 'info', format: 'json' });
    const said = () => lines.splice(0).map((line) => JSON.parse(line) as LogFields);
    for (let request = 0; request < 10_000; request++)
      logger.child({ request }).warn({ code: 'internal', error: `no ${request}` }, 'failed');
    logger.warn({ code: 'conflict' }, 'failed');
    logger.warn({ code: 'internal', error: 'another thing' }, 'failed');
    logger.error({ connector: 'up' }, 'failed');
    logger.error({ code: 'internal' }, 'something else failed');
    expect(said()).toHaveLength(14);
    vi.advanceTimersByTime(60_000);
    expect(said()).toEqual([
      expect.objectContaining({
        level: 'warn',
        lines: 9_990,
        of: 'failed',
        code: 'internal',
        error: 'no 0',
      }),
    ]);
    logger.warn({ code: 'internal' }, 'failed');
    expect(said()).toHaveLength(1);
  });

  test('are bounded also where each has other words of others in it', () => {
    vi.useFakeTimers();
    const { lines, logger } = written({ level: 'info', format: 'json' });
    for (let word = 0; word < 10_000; word++)
      logger.warn({ error: String.fromCodePoint(0x4e00 + word) }, 'failed');
    expect(lines).toHaveLength(210);
  });

  test('are not those about others', () => {
    vi.useFakeTimers();
    const { lines, logger } = written({ level: 'info', format: 'json' });
    for (let count = 0; count < 500; count++) logger.warn({ connector: `c${count}` }, 'failed');
    expect(lines).toHaveLength(500);
  });

  test('are not counted where none is written', () => {
    vi.useFakeTimers();
    const { lines, logger } = written({ level: 'silent', format: 'json' });
    for (let count = 0; count < 100; count++) logger.error({}, 'failed');
    vi.advanceTimersByTime(60_000);
    expect(lines).toEqual([]);
  });

  test('are all there where they tell of no fault', () => {
    const { lines, logger } = written({ level: 'debug', format: 'json' });
    for (let count = 0; count < 100; count++) logger.debug({ count }, 'event');
    expect(lines).toHaveLength(100);
  });
});
