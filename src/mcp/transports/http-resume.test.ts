import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { faultOf, host, open, outcomeOf, request, resultText } from '../../../test/support/http/open.js';
import type { Script, ScriptedServer } from '../../../test/support/http/scripted-server.js';
import { until } from '../../../test/support/http/until.js';
import { reconnectDelay } from './http-resume.js';

const SSE = { 'content-type': 'text/event-stream' };
const PROGRESS = '{"jsonrpc":"2.0","method":"notifications/progress"}';

/** Breaks every POST after `begin`; GETs are answered by the test. */
function breaking(begin: string, get: Script, session?: string): Script {
  return (seen, response, incoming) => {
    if (seen.method === 'GET') return get(seen, response, incoming);
    if (seen.method === 'DELETE') return void response.writeHead(405).end();
    const headers = session === undefined ? SSE : { ...SSE, 'Mcp-Session-Id': session };
    if (seen.body.includes('"initialize"'))
      return void response.writeHead(200, headers).end(`data: ${resultText(0)}\n\n`);
    response.writeHead(200, SSE);
    response.write(begin, () => response.destroy());
  };
}

const gets = (server: ScriptedServer) => server.seen.filter((seen) => seen.method === 'GET');
const stream = (response: ServerResponse, text: string) => void response.writeHead(200, SSE).end(text);
const breakAfter = (response: ServerResponse, text: string) =>
  void response.writeHead(200, SSE).write(text, () => response.destroy());

describe('C32: a broken stream is taken up again', () => {
  test('with the last event id, the session and the credentials, after the time the server asked for', async () => {
    const server = await host(
      breaking(
        `id: e-1\nretry: 120\ndata:\n\nid: e-2\ndata: ${PROGRESS}\n\n`,
        (_seen, response) =>
          stream(response, `id: e-3\ndata: ${PROGRESS}\n\ndata: ${resultText(1, { text: 'late' })}\n\n`),
        's-1',
      ),
    );
    const { transport, receiver } = await open(server.url, {
      headers: () => ({ authorization: 'Bearer t' }),
    });
    await transport.send(request(0, 'initialize'));
    transport.setRevision('2025-11-25');
    await transport.send(request(1));
    expect(gets(server)).toHaveLength(1);
    expect(gets(server)[0]?.headers).toMatchObject({
      accept: 'text/event-stream',
      'last-event-id': 'e-2',
      'mcp-session-id': 's-1',
      'mcp-protocol-version': '2025-11-25',
      authorization: 'Bearer t',
    });
    const [, post, get] = server.seen;
    expect((get?.at ?? 0) - (post?.at ?? 0)).toBeGreaterThanOrEqual(115);
    expect(receiver.received.slice(1).map(({ message, during }) => [message.kind, during])).toEqual([
      ['notification', 1],
      ['notification', 1],
      ['result', 1],
    ]);
    expect(server.seen.filter((seen) => seen.body.includes('tools/call'))).toHaveLength(1);
  });

  test('also when the server closes it in order', async () => {
    const server = await host((seen, response) => {
      if (seen.method === 'POST') stream(response, 'id: p\nretry: 10\ndata:\n\n');
      else stream(response, `data: ${resultText(1)}\n\n`);
    });
    const { transport } = await open(server.url);
    expect(await outcomeOf(transport.send(request(1)))).toBe('ok');
  });

  test('as often as the server lets it be polled, at its pace but never without pause', async () => {
    let round = 0;
    const server = await host(
      breaking('id: 0\nretry: 0\ndata:\n\n', (_seen, response) => {
        round++;
        if (round < 4) stream(response, `id: ${round}\ndata:\n\n`);
        else stream(response, `data: ${resultText(1)}\n\n`);
      }),
    );
    const { transport } = await open(server.url, { limits: { sseReconnects: 1 } });
    const start = performance.now();
    expect(await outcomeOf(transport.send(request(1)))).toBe('ok');
    expect(gets(server).map((seen) => seen.headers['last-event-id'])).toEqual(['0', '1', '2', '3']);
    expect(performance.now() - start).toBeGreaterThanOrEqual(290);
  });

  test('from the newest event of each attempt, and from ids that are not ASCII', async () => {
    let round = 0;
    const server = await host(
      breaking('id: é1\nretry: 10\ndata:\n\n', (_seen, response) => {
        round++;
        if (round < 3) stream(response, `id: é${round + 1}\ndata: ${PROGRESS}\n\n`);
        else stream(response, `data: ${resultText(1)}\n\n`);
      }),
    );
    const { transport } = await open(server.url);
    await transport.send(request(1));
    const ids = gets(server).map((seen) =>
      Buffer.from(String(seen.headers['last-event-id']), 'latin1').toString(),
    );
    expect(ids).toEqual(['é1', 'é2', 'é3']);
  });

  test('through an outage of the server', async () => {
    let round = 0;
    const server = await host(
      breaking('id: 1\nretry: 10\ndata:\n\n', (_seen, response) => {
        round++;
        if (round === 1) response.destroy();
        else if (round === 2) response.writeHead(503).end();
        else stream(response, `data: ${resultText(1)}\n\n`);
      }),
    );
    const { transport } = await open(server.url);
    await transport.send(request(1));
    expect(gets(server)).toHaveLength(3);
  });
});

describe('C32: it is given up', () => {
  test('after the allowed number of attempts', async () => {
    const server = await host(
      breaking('id: 1\nretry: 5\ndata:\n\n', (_seen, response) => void response.destroy()),
    );
    const { transport } = await open(server.url, { limits: { sseReconnects: 3 } });
    expect(await faultOf(transport.send(request(1)))).toMatchObject({
      code: 'SSE_STREAM_LOST',
      mayHaveArrived: true,
    });
    expect(gets(server)).toHaveLength(3);
  });

  test.each([
    ['breaks again', (response: ServerResponse, event: string) => breakAfter(response, `id: 1${event}`)],
    ['begins where the last one did', (response: ServerResponse, event: string) => stream(response, event)],
  ])('also when every attempt brings something, but %s', async (_how, answer) => {
    const server = await host(
      breaking('id: 0\nretry: 5\ndata:\n\n', (_seen, response) =>
        answer(response, `\ndata: ${PROGRESS}\n\n`),
      ),
    );
    const { transport, receiver } = await open(server.url);
    expect((await faultOf(transport.send(request(1)))).code).toBe('SSE_STREAM_LOST');
    expect(gets(server)).toHaveLength(5);
    expect(receiver.received).toHaveLength(5);
  });

  test.each([
    [405, 'SSE_STREAM_LOST'],
    [400, 'SSE_STREAM_LOST'],
    [401, 'SSE_STREAM_LOST'],
    [302, 'SSE_STREAM_LOST'],
    [404, 'MCP_SESSION_NOT_FOUND'],
  ])('at once when the server refuses with %i', async (status, code) => {
    const server = await host(
      breaking(
        'id: 1\nretry: 5\ndata:\n\n',
        (_seen, response) => void response.writeHead(status).end(),
        's-1',
      ),
    );
    const { transport } = await open(server.url);
    await transport.send(request(0, 'initialize'));
    expect(await faultOf(transport.send(request(1)))).toMatchObject({ code, status, mayHaveArrived: true });
    expect(gets(server)).toHaveLength(1);
    await outcomeOf(transport.send(request(2)));
    const last = server.seen.filter((seen) => seen.body.includes('tools/call')).at(-1);
    expect(last?.headers['mcp-session-id']).toBe(status === 404 ? undefined : 's-1');
  });

  test.each([
    ['without an event id', `data: ${PROGRESS}\n\n`, request(1)],
    ['with an id that was taken back', `id: 1\ndata:\n\nid:\ndata: ${PROGRESS}\n\n`, request(1)],
    ['with an id no header can carry', `id: a\x01b\ndata:\n\n`, request(1)],
    [
      'of a modern request',
      'id: 1\nretry: 5\ndata:\n\n',
      request(1, 'tools/call', { headers: { 'Mcp-Method': 'tools/call' } }),
    ],
  ])('C33: at once %s', async (_name, begin, outgoing) => {
    const server = await host(
      breaking(begin, (_seen, response) => stream(response, `data: ${resultText(1)}\n\n`)),
    );
    const { transport } = await open(server.url);
    expect((await faultOf(transport.send(outgoing))).code).toBe('CONNECTION_CLOSED');
    expect(server.seen).toHaveLength(1);
  });

  test('when none is allowed', async () => {
    const server = await host(breaking('id: 1\ndata:\n\n', (_seen, response) => void response.end()));
    const { transport } = await open(server.url, { limits: { sseReconnects: 0 } });
    expect((await faultOf(transport.send(request(1)))).code).toBe('CONNECTION_CLOSED');
  });

  test('when the total time is over, also in the pause between two attempts', async () => {
    const server = await host(
      breaking('id: 1\nretry: 20000\ndata:\n\n', (_seen, response) => void response.end()),
    );
    const { transport } = await open(server.url, { timeouts: { totalMs: 200 } });
    const start = performance.now();
    expect(await faultOf(transport.send(request(1)))).toMatchObject({
      code: 'TIMEOUT_TOTAL',
      mayHaveArrived: true,
    });
    expect(performance.now() - start).toBeLessThan(1500);
    expect(gets(server)).toEqual([]);
  });

  test.each(['signal', 'id', 'close'])('when it is aborted in the pause, by %s', async (how) => {
    const server = await host(
      breaking('id: 1\nretry: 20000\ndata:\n\n', (_seen, response) => void response.end()),
    );
    const { transport } = await open(server.url);
    const controller = new AbortController();
    const sent = outcomeOf(transport.send(request(1, 'tools/call', { signal: controller.signal })));
    await until(() => server.seen.length === 1 && server.openConnections === 0, 'the stream breaks');
    // One more round trip: by now the transport has seen it break too.
    await transport.send(request(0, 'initialize'));
    if (how === 'signal') controller.abort();
    else if (how === 'id') transport.abort?.(1);
    else await transport.close();
    expect(await sent).toMatchObject({ code: 'ABORTED', mayHaveArrived: true });
    expect(gets(server)).toEqual([]);
  });

  test('when the parts together exceed the bound of a stream', async () => {
    const filler = `: ${'x'.repeat(3000)}\n\n`;
    const server = await host(
      breaking(`id: 1\nretry: 5\ndata:\n\n${filler}`, (_seen, response) => stream(response, filler)),
    );
    const { transport } = await open(server.url, { limits: { streamBytes: 8000, sseReconnects: 20 } });
    expect((await faultOf(transport.send(request(1)))).code).toBe('SSE_STREAM_TOO_LARGE');
    expect(gets(server)).toHaveLength(2);
  });
});

test.each([
  [0, undefined, 1000],
  [1, undefined, 1500],
  [2, undefined, 2250],
  [50, undefined, 30_000],
  [0, 0, 0],
  [7, 250, 250],
  [0, 86_400_000, 30_000],
])('C32: attempt %i with retry %s waits %i ms', (attempt, retryMs, expected) => {
  expect(reconnectDelay(attempt, retryMs)).toBe(expected);
});
