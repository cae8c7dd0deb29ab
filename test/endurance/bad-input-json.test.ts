import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  checkRow,
  openWays,
  type BadInput,
  type Entrance,
  type Ways,
} from '../support/bad-input/entrance.js';
import { envelope, MODERN, request } from '../support/server/harness.js';
import { FRONTS } from '../support/server/live-server.js';

/** Bodies that are wrong, or unusual, as JSON. */

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
/** Ten times what is wanted: the machine does other things beside. */
const QUICK_MS = 1_000;

let ways: Ways;
beforeAll(async () => {
  ways = await openWays();
}, 60_000);
afterAll(() => ways?.close());

type Expected = Omit<BadInput, 'name' | 'send'>;
const PARSE: Expected = { status: 400, code: -32_700, id: null };
const INVALID: Expected = { status: 400, code: -32_600 };
const SERVED: Expected = { status: 200, id: 1 };

const said = (name: string, body: string, expected: Expected): BadInput => ({
  name,
  send: (at) => at.said(body),
  ...expected,
});
const saidBytes = (name: string, body: Uint8Array, expected: Expected): BadInput => ({
  name,
  send: (at) => at.saidBytes(body),
  ...expected,
});
const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Uint8Array.from(part))));
const pinged = (params: string): string => `${PING.slice(0, -1)},"params":${params}}`;
const nested = (depth: number): string => pinged(`{"a":${'['.repeat(depth - 2)}${']'.repeat(depth - 2)}}`);

/** A call whose arguments are written by hand, in either era. */
const callBody = (args: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"up__echo","arguments":${args}}}`;
const carried = (name: string, args: string): BadInput[] => {
  const holds = (_: unknown, at: Entrance): boolean => at.lastCall.includes(`"arguments":${args}`);
  const expected = { status: 200, id: 1, reaches: 1, holds };
  const modern = (at: Entrance): string =>
    at.post(callBody(args).replace('"arguments"', `"_meta":${JSON.stringify(envelope())},"arguments"`), {
      'MCP-Protocol-Version': MODERN,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'up__echo',
    });
  return [said(`${name}, in a session`, callBody(args), expected), { name, send: modern, ...expected }];
};

const batch = (count: number): string =>
  JSON.stringify(Array.from({ length: count }, (_, id) => request(id, 'ping')));
const inBatchSession = (name: string, body: string, expected: Expected): BadInput => ({
  name,
  send: (at) => at.said(body, { 'Mcp-Session-Id': at.batchSession }),
  ...expected,
});

const ROWS: readonly BadInput[] = [
  said('J-1: truncated', '{"jsonrpc":"2.0"', PARSE),
  said('J-1: trailing comma', `${PING.slice(0, -1)},}`, PARSE),
  said('J-1: single quotes', "{'jsonrpc':'2.0'}", PARSE),
  said('J-1: NaN', pinged('{"a":NaN}'), PARSE),
  said('J-1: Infinity', pinged('{"a":-Infinity}'), PARSE),
  said('J-1: a comment', `/* a */${PING}`, PARSE),
  said('J-1: two documents', PING + PING, PARSE),
  said('J-1: trailing NUL', `${PING}\0`, PARSE),
  saidBytes('J-1: binary', bytes([0, 1, 2, 0xff]), PARSE),
  saidBytes('J-2: byte order mark', bytes([0xef, 0xbb, 0xbf], PING), SERVED),
  saidBytes('J-3: UTF-16', Buffer.from(PING, 'utf16le'), PARSE),
  saidBytes('J-3: invalid', bytes(pinged('{"a":"').slice(0, -1), [0xc3, 0x28], '"}}'), PARSE),
  saidBytes('J-3: overlong', bytes(pinged('{"a":"').slice(0, -1), [0xc0, 0xaf], '"}}'), PARSE),
  said('J-4: a line feed in a string', pinged('{"a":"x\ny"}'), PARSE),
  said('J-5: half a character in the id', PING.replace('1,', '"\\ud800",'), { ...INVALID, id: null }),
  said('J-6: depth 64', nested(64), SERVED),
  said('J-6: depth 65', nested(65), INVALID),
  said('J-6: depth 10 000', nested(10_000), INVALID),
  said('J-6: 400 000 arrays', '['.repeat(400_000), INVALID),
  said('J-6: 100 000 objects', '{"a":'.repeat(100_000), INVALID),
  said(
    'J-7: 100 001 keys',
    pinged(`{${Array.from({ length: 100_001 }, (_, n) => `"${n}":0`).join(',')}}`),
    INVALID,
  ),
  ...['"method":"ping"', '"id":2', '"params":{"a":1,"a":1}', '"params":{"a":[{"b":{"c":1,"c":2}}]}'].map(
    (member) => said(`J-8: ${member}`, `${PING.slice(0, -1)},${member}}`, INVALID),
  ),
  said('J-8: name', callBody('{}').replace('"name"', '"name":"up__other","name"'), INVALID),
  // One member written two ways is still one member.
  said('J-8: an escape', callBody('{}').replace('"name"', '"n\\u0061me":"x","name"'), INVALID),
  ...carried(
    'J-9: names of prototypes',
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  ),
  ...['Method', 'METHOD', 'm\u0435thod', 'method\\u0000', 'method '].map((member) =>
    said(`J-10: ${JSON.stringify(member)}`, PING.replace('method', member), { ...INVALID, id: 1 }),
  ),
  ...carried('J-11: 1e400', '{"n":1e400}'),
  ...carried('J-11: 400 digits', `{"n":${'7'.repeat(400)}}`),
  ...carried('J-12: 2^53 + 1', '{"n":9007199254740993,"deep":[{"m":-9007199254740993}]}'),
  ...['42', '"x"', 'null', 'true', '{}'].map((body) => said(`J-13: ${body}`, body, { ...INVALID, id: null })),
  said('J-14: []', '[]', { ...INVALID, id: null }),
  said('J-14: a batch of 1', batch(1), INVALID),
  said('J-14: a batch of 1 000', batch(1_000), INVALID),
  inBatchSession('J-14: [] where there are batches', '[]', INVALID),
  inBatchSession('J-14: a batch of 50 where there are batches', batch(50), {
    status: 200,
    holds: ({ body }) => {
      const ids = JSON.parse(body).map(({ id }: { readonly id: number }) => id);
      return ids.length === 50 && new Set(ids).size === 50;
    },
  }),
  inBatchSession('J-14: a batch of 51', batch(51), INVALID),
  inBatchSession('J-14: a batch of 1 000 where there are batches', batch(1_000), INVALID),
  said('J-15: a megabyte of blanks', ' '.repeat(1024 * 1024) + PING, SERVED),
  said('J-16: an escape', PING.replace('ping', 'p\\u0069ng'), SERVED),
  ...carried('J-17: order and unknown members', '{"z":1,"a":{"y":[],"b":null},"":0}'),
];

describe.each(FRONTS)('by $way', ({ way }) => {
  const at = (): Entrance => ways.at(way);

  test.each(ROWS)('$name', (one) => checkRow(at(), one));

  test('J-6: bombs cost next to nothing', async () => {
    for (const bomb of ['['.repeat(400_000), '{"a":'.repeat(100_000)]) {
      const startedAt = performance.now();
      expect((await at().tell(at().said(bomb)))?.status).toBe(400);
      expect(performance.now() - startedAt).toBeLessThan(QUICK_MS);
    }
  });

  test('J-9: nothing is polluted', () => {
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  test('J-17: unknown members of params', async () => {
    const meta = { 'example.com/trace': { b: 1, a: [2] } };
    const params = { stranger: 1, name: 'up__echo', arguments: {}, _meta: meta };
    await at().tell(at().said(request(1, 'tools/call', params)));
    // The request to the upstream is our own. What is not of the protocol travels in `_meta`, as the protocol wants it.
    expect(at().lastCall).toContain(JSON.stringify(meta).slice(1, -1));
    expect(at().lastCall).not.toContain('stranger');
  });
});
