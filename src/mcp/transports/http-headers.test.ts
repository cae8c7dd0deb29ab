import { describe, expect, test } from 'vitest';
import {
  bareHeaders,
  challengeOf,
  isModern,
  isPlain,
  isResumableId,
  isSessionId,
  mediaTypeOf,
  postHeaders,
  retryAfterOf,
} from './http-headers.js';

const NONE = { session: undefined, revision: undefined };

function toObject(list: readonly string[]): Record<string, string> {
  const entries: [string, string][] = [];
  for (let at = 0; at < list.length; at += 2) entries.push([list[at] ?? '', list[at + 1] ?? '']);
  expect(new Set(entries.map(([name]) => name.toLowerCase())).size, 'no header twice').toBe(entries.length);
  return Object.fromEntries(entries);
}

describe('requests', () => {
  test('C10: what every POST has', () => {
    expect(toObject(postHeaders({ text: '', method: 'x' }, {}, NONE))).toEqual({
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'accept-encoding': 'identity',
    });
  });

  test.each([
    'Accept',
    'CONTENT-TYPE',
    'accept-encoding',
    'Host',
    'Content-Length',
    'Transfer-Encoding',
    'Connection',
    'Upgrade',
    'Mcp-Session-Id',
    'MCP-Protocol-Version',
    'Mcp-Method',
    'Last-Event-ID',
  ])('%s is not for the caller to set', (name) => {
    const provided = { [name]: 'theirs', 'X-Own': 'kept' };
    expect(Object.values(toObject(postHeaders({ text: '', method: 'x' }, provided, NONE)))).not.toContain(
      'theirs',
    );
    const bare = toObject(bareHeaders(provided, { session: 's', revision: 'r' }, 'e'));
    expect(Object.values(bare)).not.toContain('theirs');
    expect(bare).toMatchObject({
      'X-Own': 'kept',
      'mcp-session-id': 's',
      'mcp-protocol-version': 'r',
      'last-event-id': 'e',
    });
  });

  test('C13: a message may name its own revision', () => {
    const headers = { 'MCP-Protocol-Version': 'own' };
    const list = toObject(
      postHeaders({ text: '', method: 'x', headers }, {}, { session: undefined, revision: 'r' }),
    );
    expect(list).toMatchObject({ 'MCP-Protocol-Version': 'own' });
  });

  test.each([
    [undefined, false],
    [{}, false],
    [{ 'mcp-name': 'x' }, false],
    [{ 'mcp-method': 'x' }, true],
    [{ 'Mcp-Method': 'x' }, true],
  ])('a message with headers %j: modern is %s', (headers, expected) => {
    expect(
      isModern(headers === undefined ? { text: '', method: 'x' } : { text: '', method: 'x', headers }),
    ).toBe(expected);
  });
});

describe('answers', () => {
  test.each([
    ['application/json', 'application/json'],
    ['Text/Event-Stream; charset=UTF-8', 'text/event-stream'],
    [' application/json ;', 'application/json'],
    ['', ''],
    [undefined, ''],
  ])('type %j', (value, expected) => {
    expect(mediaTypeOf({ 'content-type': value })).toBe(expected);
  });

  test.each([
    [true, 'a'],
    [true, '!~'],
    [true, 'x'.repeat(1024)],
    [false, 'x'.repeat(1025)],
    [false, ''],
    [false, 'a b'],
    [false, 'a\tb'],
    [false, 'é'],
    [false, ['a', 'b']],
    [false, undefined],
  ])('C14: session id %#: usable is %s', (expected, value) => {
    expect(isSessionId(value)).toBe(expected);
  });

  test.each([
    [true, '1'],
    [true, 'a b\té'],
    [false, 'x'.repeat(1025)],
    [false, 'a\x01'],
    [false, 'a\x7f'],
    [false, undefined],
  ])('C32: event id %#: resumable is %s', (expected, value) => {
    expect(isResumableId(value)).toBe(expected);
  });

  test.each([
    ['0', 0],
    ['5', 5000],
    ['3600', 60_000],
    ['Thu, 01 Jan 1970 00:00:10 GMT', 9000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['Thu, 01 Jan 2060 00:00:00 GMT', 60_000],
    ['soon', undefined],
    ['-5', undefined],
    [undefined, undefined],
  ])('C37: Retry-After %j is %s ms', (value, expected) => {
    expect(retryAfterOf({ 'retry-after': value }, 1000)).toBe(expected);
  });

  test('several challenges are one, and bounded', () => {
    expect(challengeOf({ 'www-authenticate': ['Basic', 'Bearer x="y"'] })).toBe('Basic, Bearer x="y"');
    expect(challengeOf({ 'www-authenticate': 'x'.repeat(100_000) })).toHaveLength(8192);
    expect(challengeOf({})).toBeUndefined();
  });

  test.each([
    [undefined, true],
    ['', true],
    ['identity', true],
    ['gzip', false],
    ['br, gzip', false],
  ])('encoding %j: plain is %s', (value, expected) => {
    expect(isPlain({ 'content-encoding': value })).toBe(expected);
  });
});
