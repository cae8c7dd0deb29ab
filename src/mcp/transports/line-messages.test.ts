import { expect, test } from 'vitest';

import type { Message, RequestId } from '../jsonrpc/index.js';
import { LineMessages } from './line-messages.js';
import type { TransportWarning } from './transport.js';

function openReader(maxBadLines = 3) {
  const messages: Message[] = [];
  const warnings: TransportWarning[] = [];
  const talk: string[] = [];
  const badAnswers: RequestId[] = [];
  let givenUp = 0;
  const reader = new LineMessages({
    maxBadLines,
    onMessage: (message) => messages.push(message),
    onBadAnswer: (id) => badAnswers.push(id),
    onWarning: (warning) => warnings.push(warning),
    onTalk: (text) => talk.push(text),
    onTooManyBadLines: () => givenUp++,
  });
  return { reader, messages, warnings, talk, badAnswers, givenUp: () => givenUp };
}

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

test.each([
  ['text', 'listening on port 3000', 'not_json'],
  ['a note', 'note: trying again', 'not_json'],
  ['a word of JSON', ' true', 'not_jsonrpc'],
  ['a text in quotes', '"ready"', 'not_jsonrpc'],
  ['a broken message', '{"jsonrpc":"2.0","id":1', 'not_json'],
  ['nesting without end', '['.repeat(10_000), 'not_json'],
  ['another kind of JSON', '{"level":"info"}', 'not_jsonrpc'],
  ['a number', '42', 'not_jsonrpc'],
  ['an empty batch', '[]', 'not_jsonrpc'],
])('P-3: %s is skipped, counted and mentioned without its content', (_name, line, code) => {
  const { reader, messages, warnings } = openReader();
  reader.read(line);
  reader.read(PING);
  expect(reader.skipped).toBe(1);
  expect(messages).toEqual([{ kind: 'request', id: 1, method: 'ping', params: undefined }]);
  expect(warnings.map((warning) => warning.code)).toEqual([code]);
  expect(warnings[0]?.message).not.toContain(line);
});

test.each([
  ['a banner', '\u001B[32mListening on stdio\u001B[0m', 'Listening on stdio'],
  ['a reason', '[error] API_KEY is not set', '[error] API_KEY is not set'],
  ['a banner before a message', `starting... ${PING}`, 'starting...'],
  ['a line of a message over several lines', '  "text": "for one reader",', '(a line that is not JSON)'],
  ['a broken message', '{"jsonrpc":"2.0","id":1', '(a line that is not JSON)'],
  ['another kind of JSON', '{"level":"info"}', '(a line that is not JSON-RPC)'],
])('C50: %s is told as far as it is talk', (_name, line, expected) => {
  const { reader, talk } = openReader();
  reader.read(line);
  expect(talk).toEqual([expected]);
});

test('a batch is delivered one by one', () => {
  const { reader, messages, warnings } = openReader();
  reader.read(`[${PING},7,{"jsonrpc":"2.0","method":"note"}]`);
  expect(messages.map((message) => message.kind)).toEqual(['request', 'notification']);
  expect(warnings.map((warning) => warning.code)).toEqual(['not_jsonrpc']);
});

test('P-3: only bad lines in a row lead to giving up, and then it is quiet', () => {
  const { reader, messages, givenUp } = openReader(3);
  for (const line of ['x', 'x', PING, 'x', 'x']) reader.read(line);
  expect(givenUp()).toBe(0);
  for (const line of ['x', 'x', PING]) reader.read(line);
  expect({ givenUp: givenUp(), messages: messages.length, skipped: reader.skipped }).toEqual({
    givenUp: 1,
    messages: 1,
    skipped: 5,
  });
});

test('warnings are limited, the count is not', () => {
  const { reader, warnings } = openReader(1000);
  for (let i = 0; i < 500; i++) reader.read('noise');
  expect(reader.skipped).toBe(500);
  expect(warnings.length).toBeGreaterThanOrEqual(10);
  expect(warnings.length).toBeLessThanOrEqual(20);
});

test('a receiver may stop the reading in the middle of a batch', () => {
  const seen: string[] = [];
  const reader = new LineMessages({
    maxBadLines: 3,
    onMessage: (message) => {
      seen.push(message.kind);
      reader.stop();
    },
    onBadAnswer: () => seen.push('bad answer'),
    onWarning: () => seen.push('warning'),
    onTooManyBadLines: () => {},
  });
  reader.read(`[${PING},${PING},1,{"id":1}]`);
  expect(seen).toEqual(['request']);
});

test.each([
  ['both', '{"jsonrpc":"2.0","id":7,"result":{},"error":{"code":1,"message":""}}'],
  ['neither', '{"jsonrpc":"2.0","id":7}'],
  ['no version', '{"id":7,"result":{}}'],
  ['an error without a code', '{"jsonrpc":"2.0","id":7,"error":{"message":"no"}}'],
])('U-13: an answer with %s is skipped, and whoever waits for it is told', (_name, line) => {
  const { reader, messages, badAnswers } = openReader();
  reader.read(line);
  expect([messages, badAnswers, reader.skipped]).toEqual([[], [7], 1]);
});

test('a request that cannot be read is no answer, whatever its id', () => {
  const { reader, badAnswers } = openReader();
  reader.read('{"jsonrpc":"2.0","id":7,"method":3}');
  reader.read('{"jsonrpc":"2.0","id":null,"result":{}}');
  expect([badAnswers, reader.skipped]).toEqual([[], 2]);
});

const TOO_MUCH = `{"a":[${Array(70_000).fill('{},[],1.5').join()},${Array.from({ length: 90_000 }, (_, i) => `"${i}"`).join()}]}`;
test.each([
  ['its id first', `{"jsonrpc":"2.0","id":7,"result":${TOO_MUCH}}`, [7]],
  ['its id last', `{"result":${TOO_MUCH},"jsonrpc":"2.0","id":"a-7"}`, ['a-7']],
  ['an id inside only', `{"result":{"x":${TOO_MUCH},"id":7}}`, []],
  ['a method', `{"jsonrpc":"2.0","id":7,"method":"ping","params":${TOO_MUCH}}`, []],
])(
  'P-4: who waits for an answer that is too much to be parsed learns it, with %s',
  (_name, line, expected) => {
    const { reader, messages, badAnswers } = openReader();
    reader.read(line);
    expect([messages, badAnswers]).toEqual([[], expected]);
  },
);
