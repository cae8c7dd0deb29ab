import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  ANSWER,
  chunk,
  jsonBody,
  JSON_HEAD,
  keepsSaying,
  KIB,
  LAST_CHUNK,
  meet,
  MIB,
  nothing,
  says,
  SHORT,
  sse,
  SSE_HEAD,
  thenEnds,
  thenResets,
  type ByteScript,
} from '../../../test/support/http/byte-scripts.js';
import { faultOf, hostBytes, open, request } from '../../../test/support/http/open.js';
import { until } from '../../../test/support/http/until.js';
import type { TransportErrorCode } from './transport.js';

type Row = readonly [name: string, script: ByteScript, code: TransportErrorCode | 'ok'];

describe('time', () => {
  test.each<Row>([
    ['hang', nothing, 'TIMEOUT_FIRST_BYTE'],
    ['hang in the head', says('HTTP/1.1 200 OK\r\nContent-Type: app'), 'TIMEOUT_FIRST_BYTE'],
    ['drip in the head', keepsSaying('HTTP/1.1 200 OK\r\nX: ', 'y', 20), 'TIMEOUT_FIRST_BYTE'],
    [
      'informational answers without end',
      keepsSaying('', 'HTTP/1.1 103 Early Hints\r\n\r\n', 20),
      'TIMEOUT_FIRST_BYTE',
    ],
    ['hang in the body', says(`${JSON_HEAD}Content-Length: 100\r\n\r\n{"json`), 'TIMEOUT_IDLE'],
    ['hang in a stream', says(SSE_HEAD, chunk(': hello\n\n')), 'TIMEOUT_IDLE'],
    ['drip in the body', keepsSaying(`${JSON_HEAD}Content-Length: 10000\r\n\r\n{`, ' ', 20), 'TIMEOUT_TOTAL'],
    ['comments forever', keepsSaying(SSE_HEAD, chunk(':\n\n'), 20), 'TIMEOUT_TOTAL'],
    [
      'progress forever',
      keepsSaying(SSE_HEAD, chunk('data: {"jsonrpc":"2.0","method":"n"}\n\n'), 20),
      'TIMEOUT_TOTAL',
    ],
  ])('%s', async (_name, script, code) => {
    const met = await meet(script, { timeouts: SHORT });
    expect(met.code).toBe(code);
    expect(met.outcome).toMatchObject({ mayHaveArrived: true });
    expect(met.tookMs).toBeLessThan(1500);
    expect(met.tookMs).toBeGreaterThanOrEqual(code === 'TIMEOUT_TOTAL' ? 440 : 140);
  });
});

describe('connections that break', () => {
  test.each<Row>([
    ['an end instead of an answer', thenEnds(nothing), 'CONNECTION_CLOSED'],
    ['a reset instead of an answer', thenResets(nothing), 'CONNECTION_CLOSED'],
    ['an end in the head', thenEnds(says('HTTP/1.1 200 OK\r\nContent-')), 'CONNECTION_CLOSED'],
    [
      'a reset in the body',
      thenResets(says(`${JSON_HEAD}Content-Length: 100\r\n\r\n{`)),
      'CONNECTION_CLOSED',
    ],
    [
      'a body shorter than announced',
      thenEnds(says(`${JSON_HEAD}Content-Length: 1000\r\n\r\n${ANSWER}`)),
      'CONNECTION_CLOSED',
    ],
    [
      'a body shorter than announced, on a last connection',
      thenEnds(says(`${JSON_HEAD}Connection: close\r\nContent-Length: 1000\r\n\r\n${ANSWER}`)),
      'CONNECTION_CLOSED',
    ],
    [
      'a truncated chunk',
      thenEnds(says(`${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\nff\r\n{"json`)),
      'CONNECTION_CLOSED',
    ],
    [
      'a truncated chunk, on a last connection',
      thenEnds(says(`${JSON_HEAD}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{"json`)),
      'CONNECTION_CLOSED',
    ],
    ['a stream that ends early', sse('data: {"jsonrpc":"2.0","method":"n"}\n\n'), 'CONNECTION_CLOSED'],
    ['a stream that ends before it begins', sse(), 'CONNECTION_CLOSED'],
    ['a stream that breaks', thenResets(says(SSE_HEAD, chunk(': hello\n\n'))), 'CONNECTION_CLOSED'],
    [
      'a stream that breaks within its answer',
      thenEnds(says(SSE_HEAD, chunk(`data: ${ANSWER.slice(0, 9)}`))),
      'CONNECTION_CLOSED',
    ],
  ])('%s', async (_name, script, code) => {
    const met = await meet(script);
    expect(met.code).toBe(code);
    expect(met.outcome).toMatchObject({ mayHaveArrived: true });
    expect(met.receiver.messages.filter((message) => message.kind === 'result')).toEqual([]);
    expect(met.server.connections).toBe(1);
  });
});

describe('answers that are no HTTP', () => {
  test.each<Row>([
    ['a bad status line', says('HTP/1.1 200 OK\r\n\r\n'), 'HTTP_INVALID_BODY'],
    ['frames of HTTP/2', says(Buffer.from('00001204000000000000030000006400', 'hex')), 'HTTP_INVALID_BODY'],
    [
      'two lengths',
      says(`${JSON_HEAD}Content-Length: 5\r\nContent-Length: 6\r\n\r\n${ANSWER}`),
      'HTTP_INVALID_BODY',
    ],
    [
      'a length and chunks',
      says(`${JSON_HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`, chunk(ANSWER)),
      'HTTP_INVALID_BODY',
    ],
    [
      'a bad chunk size',
      says(`${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n${ANSWER}`),
      'HTTP_INVALID_BODY',
    ],
    ['bytes after the end', says(`${JSON_HEAD}Content-Length: ${ANSWER.length}\r\n\r\n${ANSWER}more`), 'ok'],
    [
      'a body cut by its own length',
      says(`${JSON_HEAD}Content-Length: 9\r\n\r\n${ANSWER}`),
      'HTTP_INVALID_BODY',
    ],
    [
      'a header of 100 KB',
      says(`HTTP/1.1 200 OK\r\nX: ${'y'.repeat(100 * KIB)}\r\n\r\n`),
      'HTTP_BODY_TOO_LARGE',
    ],
    ['5000 headers', says(`HTTP/1.1 200 OK\r\n${'X-Header: y\r\n'.repeat(5000)}\r\n`), 'HTTP_BODY_TOO_LARGE'],
    [
      'some informational answers first',
      says(
        'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(50),
        `${JSON_HEAD}Content-Length: ${ANSWER.length}\r\n\r\n${ANSWER}`,
      ),
      'ok',
    ],
  ])('%s', async (_name, script, code) => {
    const met = await meet(script);
    expect(met.code).toBe(code);
    if (met.outcome !== 'ok') expect(met.outcome.cause).toBeUndefined();
  });
});

describe('size', () => {
  const big = 'x'.repeat(300 * KIB);
  test.each<Row>([
    [
      'JSON that announces too much',
      says(`${JSON_HEAD}Content-Length: 999999999\r\n\r\n{`),
      'HTTP_BODY_TOO_LARGE',
    ],
    [
      'JSON that turns out too large',
      says(`${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\n`, chunk(`{"a":"${big}`)),
      'HTTP_BODY_TOO_LARGE',
    ],
    [
      'JSON in tiny chunks',
      says(
        `${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\n`,
        chunk('{"'),
        Buffer.from(chunk('x').toString().repeat(70_000)),
      ),
      'HTTP_BODY_TOO_LARGE',
    ],
    [
      'blanks without end',
      says(`${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\n`, chunk(' '.repeat(300 * KIB))),
      'HTTP_BODY_TOO_LARGE',
    ],
    [
      'a huge event on a last connection',
      thenEnds(
        says(
          SSE_HEAD.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
          chunk(`data: ${big}\n\n`),
          LAST_CHUNK,
        ),
      ),
      'SSE_EVENT_DATA_TOO_LARGE',
    ],
    [
      'JSON that is too large on a last connection',
      thenEnds(
        says(
          `${JSON_HEAD}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n`,
          chunk(`{"a":"${big}"}`),
          LAST_CHUNK,
        ),
      ),
      'HTTP_BODY_TOO_LARGE',
    ],
    ['a huge event', sse(`data: ${big}\n\n`), 'SSE_EVENT_DATA_TOO_LARGE'],
    [
      'a huge event of many lines',
      sse(`${'data: xxxxxxxx\n'.repeat(9 * KIB)}\n`),
      'SSE_EVENT_DATA_TOO_LARGE',
    ],
    [
      'a line without end',
      says(SSE_HEAD, chunk('data: '), chunk('x'.repeat(100 * KIB))),
      'SSE_EVENT_DATA_TOO_LARGE',
    ],
    ['an id without end', says(SSE_HEAD, chunk(`id: ${'x'.repeat(100 * KIB)}`)), 'SSE_EVENT_DATA_TOO_LARGE'],
    ['a comment without end', says(SSE_HEAD, chunk(`: ${big}`)), 'SSE_STREAM_TOO_LARGE'],
    [
      'a flood of small events',
      sse('data: {"jsonrpc":"2.0","method":"n"}\n\n'.repeat(9 * KIB)),
      'SSE_STREAM_TOO_LARGE',
    ],
    ['gzip', jsonBody(gzipSync(ANSWER), `${JSON_HEAD}Content-Encoding: gzip\r\n`), 'HTTP_INVALID_BODY'],
    [
      'a gzip bomb',
      jsonBody(gzipSync(Buffer.alloc(8 * MIB)), `${JSON_HEAD}Content-Encoding: gzip\r\n`),
      'HTTP_INVALID_BODY',
    ],
    [
      'a stream in gzip',
      says(SSE_HEAD.replace('\r\n\r\n', '\r\nContent-Encoding: gzip\r\n\r\n'), chunk(gzipSync(ANSWER))),
      'HTTP_INVALID_BODY',
    ],
    ['identity, spelled out', jsonBody(ANSWER, `${JSON_HEAD}Content-Encoding: identity\r\n`), 'ok'],
  ])('%s', async (_name, script, code) => {
    expect((await meet(script)).code).toBe(code);
  });

  test.each([
    ['JSON', `${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\n`, '{"a":"', 'HTTP_BODY_TOO_LARGE'],
    ['an event', SSE_HEAD, 'data: ', 'SSE_EVENT_DATA_TOO_LARGE'],
  ])(
    '%s without end: the connection is dropped at the limit, and memory stays bounded',
    async (_name, head, begin, code) => {
      let written = 0;
      let closed = false;
      const piece = chunk(Buffer.alloc(64 * KIB, 'x'));
      const server = await hostBytes((socket) => {
        socket.on('close', () => (closed = true));
        socket.write(head);
        socket.write(chunk(begin));
        const more = (): void => {
          while (!socket.destroyed && written < 512 * MIB) {
            written += piece.length;
            if (!socket.write(piece)) return;
          }
        };
        socket.on('drain', more);
        more();
      });
      const before = process.memoryUsage().rss;
      const { transport } = await open(server.url, { limits: { responseBytes: 4 * MIB } });
      expect((await faultOf(transport.send(request(1)))).code).toBe(code);
      await until(() => closed, 'the connection is closed');
      expect(written).toBeLessThan(32 * MIB);
      expect(process.memoryUsage().rss - before).toBeLessThan(64 * MIB);
    },
  );
});
