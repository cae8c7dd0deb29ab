import { describe, expect, test } from 'vitest';
import {
  ANSWER,
  chunk,
  jsonBody,
  JSON_HEAD,
  meet,
  says,
  sse,
  type ByteScript,
} from '../../../test/support/http/byte-scripts.js';
import { errorText, request, resultText } from '../../../test/support/http/open.js';
import type { TransportErrorCode } from './transport.js';

type Row = readonly [name: string, script: ByteScript, code: TransportErrorCode | 'ok'];

describe('content', () => {
  const text = (type: string): string => JSON_HEAD.replace('application/json', type);
  const untyped = 'HTTP/1.1 200 OK\r\n';
  test.each<Row>([
    [
      'bytes that are not UTF-8',
      jsonBody(
        Buffer.concat([
          Buffer.from('{"jsonrpc":"2.0","id":1,"result":{"a":"'),
          Buffer.from([0xff]),
          Buffer.from('"}}'),
        ]),
      ),
      'HTTP_INVALID_BODY',
    ],
    [
      'an event that is not UTF-8',
      sse(Buffer.concat([Buffer.from('data: {"a":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}\n\n')])),
      'INVALID_SSE_EVENT_DATA',
    ],
    ['a byte order mark', jsonBody(`\uFEFF${ANSWER}`), 'ok'],
    [
      'JSON nested too deep',
      jsonBody(`{"jsonrpc":"2.0","id":1,"result":${'['.repeat(5000)}${']'.repeat(5000)}}`),
      'HTTP_INVALID_BODY',
    ],
    ['broken JSON', jsonBody('{"jsonrpc":"2.0","id":1,"result":{}'), 'HTTP_INVALID_BODY'],
    ['a broken event', sse('data: {"jsonrpc":"2.0",\n\n', `data: ${ANSWER}\n\n`), 'INVALID_SSE_EVENT_DATA'],
    ['200 with nothing', jsonBody(''), 'HTTP_EMPTY_BODY'],
    ['200 with nothing of no type', jsonBody('', untyped), 'HTTP_EMPTY_BODY'],
    ['202 to a request', says('HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n'), 'HTTP_EMPTY_BODY'],
    ['204 to a request', says('HTTP/1.1 204 No Content\r\n\r\n'), 'HTTP_EMPTY_BODY'],
    [
      'a page of HTML',
      jsonBody('<!doctype html><h1>Sign in</h1>', text('text/html')),
      'HTTP_WRONG_CONTENT_TYPE',
    ],
    ['a page of HTML called JSON', jsonBody('<!doctype html>'), 'HTTP_INVALID_BODY'],
    ['plain text', jsonBody('ok', text('text/plain')), 'HTTP_WRONG_CONTENT_TYPE'],
    ['blanks of no type', jsonBody('   ', untyped), 'HTTP_WRONG_CONTENT_TYPE'],
  ])('%s', async (_name, script, code) => {
    const met = await meet(script);
    expect(met.code).toBe(code);
    expect(met.receiver.messages).toHaveLength(code === 'ok' ? 1 : 0);
  });

  test.each<readonly [name: string, script: ByteScript]>([
    ['JSON called text', jsonBody(ANSWER, text('text/plain'))],
    ['JSON of no type', jsonBody(` \n${ANSWER}`, untyped)],
    ['JSON called an event stream', jsonBody(ANSWER, text('text/event-stream'))],
    ['an event stream called JSON', jsonBody(`event: message\ndata: ${ANSWER}\n\n`)],
    ['an event stream called text', jsonBody(`data: ${ANSWER}\n\n`, text('text/plain'))],
    [
      'an event stream of no type, beginning with a comment',
      jsonBody(`: hi\n\nid: 1\ndata: ${ANSWER}\n\n`, untyped),
    ],
    [
      'an event stream of no type, in pieces',
      says(
        `${untyped}Transfer-Encoding: chunked\r\n\r\n`,
        chunk('ev'),
        chunk(`ent: message\ndata: ${ANSWER}\n\n`),
      ),
    ],
  ])('C24: %s is accepted with a warning', async (_name, script) => {
    const met = await meet(script);
    expect(met.code).toBe('ok');
    expect(met.receiver.messages).toEqual([{ kind: 'result', id: 1, result: {} }]);
    expect(met.receiver.warningCodes).toEqual(['wrong_content_type']);
  });

  test.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json ;x=y'])(
    'C24: the type %j is JSON',
    async (type) => {
      const met = await meet(jsonBody(ANSWER, text(type)));
      expect(met).toMatchObject({ code: 'ok', receiver: { warnings: [] } });
    },
  );
});

describe('messages', () => {
  const withId = (id: string): string => `{"jsonrpc":"2.0","id":${id},"result":{}}`;
  const rows: readonly (readonly [name: string, text: string, kinds: readonly string[]])[] = [
    ['another id', withId('2'), ['result']],
    ['no id at all', '{"jsonrpc":"2.0","result":{}}', []],
    ['the id null', withId('null'), []],
    ['a fraction for an id', withId('1.5'), []],
    ['an object for an id', withId('{}'), []],
    [
      'both a result and an error',
      '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}',
      [],
    ],
    ['neither', '{"jsonrpc":"2.0","id":1}', []],
    ['no version', '{"id":1,"result":{}}', []],
    ['another version', '{"jsonrpc":"1.0","id":1,"result":{}}', []],
    ['an error without a code', '{"jsonrpc":"2.0","id":1,"error":{"message":"x"}}', []],
    ['a number', '17', []],
    ['an empty array', '[]', []],
    ['our own request', request(1).text, ['request']],
  ];

  test.each(rows)('C27: JSON with %s', async (_name, text, kinds) => {
    const met = await meet(jsonBody(text));
    expect(met.code).toBe('HTTP_INVALID_BODY');
    expect(met.receiver.messages.map((message) => message.kind)).toEqual(kinds);
  });

  test.each(rows)('C27: an event with %s', async (_name, text, kinds) => {
    const met = await meet(sse(`data: ${text}\n\n`));
    expect(met.code).toBe(kinds.length === 0 ? 'INVALID_SSE_EVENT_DATA' : 'CONNECTION_CLOSED');
    expect(met.receiver.messages.map((message) => message.kind)).toEqual(kinds);
  });

  test('C27: an unreadable event without our id does not end the stream', async () => {
    const met = await meet(sse('data: {"jsonrpc":"2.0"}\n\n', `data: ${ANSWER}\n\n`));
    expect(met).toMatchObject({ code: 'ok', receiver: { warningCodes: ['not_jsonrpc'] } });
  });

  test.each([
    ['the same result twice', `data: ${ANSWER}\n\ndata: ${ANSWER}\n\n`],
    ['a result and then an error', `data: ${ANSWER}\n\ndata: ${errorText(1, 5)}\n\n`],
    ['a stray answer first', `data: ${resultText(0)}\n\ndata: ${ANSWER}\n\n`],
  ])('C27: %s: the first true answer counts', async (_name, events) => {
    const met = await meet(sse(events));
    expect(met.code).toBe('ok');
    expect(met.receiver.messages.filter((message) => 'id' in message && message.id === 1)).toEqual([
      { kind: 'result', id: 1, result: {} },
    ]);
  });
});
