import { describe, expect, test } from 'vitest';
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
