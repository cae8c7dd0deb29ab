import type { ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  faultOf,
  host,
  notification,
  outcomeOf,
  QUICK,
  request,
  resultText,
} from '../../../test/support/http/open.js';
import { RecordingReceiver } from '../../../test/support/http/recording-receiver.js';
import type { Script } from '../../../test/support/http/scripted-server.js';
import { until } from '../../../test/support/http/until.js';
import type { HttpTransportOptions } from './http-options.js';
import { LegacySseTransport } from './legacy-sse.js';

const SSE = { 'content-type': 'text/event-stream' };

/** A server of 2024-11-05: answers on the stream what it gets by POST. */
function old(endpoint = '/messages?sessionId=1', status = 202): Script {
  let stream: ServerResponse | undefined;
  return (seen, response) => {
    if (seen.method === 'GET') {
      stream = response;
      response.writeHead(200, SSE).write(`event: endpoint\ndata: ${endpoint}\n\n`);
      return;
    }
    response.writeHead(status).end('Accepted');
    const { id } = JSON.parse(seen.body);
    if (id !== undefined) stream?.write(`event: message\ndata: ${resultText(id)}\n\n`);
  };
}

async function create(script: Script, options: Partial<HttpTransportOptions> = {}) {
  const server = await host(script);
  const receiver = new RecordingReceiver();
  const timeouts = { ...QUICK, ...options.timeouts };
  const transport = new LegacySseTransport({
    environment: {},
    ...options,
    url: new URL('/sse', server.url),
    timeouts,
  });
  onTestFinished(() => transport.close());
  return { server, receiver, transport };
}

describe('C8: HTTP+SSE', () => {
  test('messages go to the address the server names, answers come on its stream', async () => {
    const { server, receiver, transport } = await create(old(), {
      headers: () => ({ authorization: 'Bearer t' }),
    });
    await transport.start(receiver);
    await transport.send(request(1, 'initialize'));
    transport.setRevision('2024-11-05');
    await transport.send(notification());
    transport.openServerStream();
    await until(() => receiver.received.length === 1, 'the answer arrives');
    expect(receiver.received).toEqual([
      { message: { kind: 'result', id: 1, result: {} }, during: undefined, status: undefined },
    ]);
    expect(server.seen.map((seen) => `${seen.method} ${seen.path}`)).toEqual([
      'GET /sse',
      'POST /messages?sessionId=1',
      'POST /messages?sessionId=1',
    ]);
    for (const seen of server.seen) expect(seen.headers.authorization).toBe('Bearer t');
    expect(transport.carriesHeaders).toBe(false);
  });

  test.each([
    'messages?x=1',
    './messages?x=1',
    '//127.0.0.1:PORT/messages?x=1',
    'http://127.0.0.1:PORT/messages?x=1',
  ])('the address may be %s', async (address) => {
    let port = '';
    const { server, receiver, transport } = await create((seen, response, incoming) => {
      old(address.replace('PORT', port))(seen, response, incoming);
    });
    port = server.url.port;
    await transport.start(receiver);
    await transport.send(notification());
    expect(server.seen[1]?.path).toBe('/messages?x=1');
  });

  test.each([
    'http://evil.example/messages',
    '//evil.example/',
    'https://127.0.0.1/',
    'file:///etc/passwd',
    'http://[',
    `/${'x'.repeat(9000)}`,
  ])('the address must not be %s', async (address) => {
    const { server, receiver, transport } = await create(old(address));
    expect((await faultOf(transport.start(receiver))).code).toBe('INVALID_SSE_EVENT_DATA');
    expect((await faultOf(transport.send(notification()))).code).toBe('CONNECTION_CLOSED');
    expect(server.seen).toHaveLength(1);
    expect(receiver.reasons).toEqual([]);
  });

  test('a later address changes nothing', async () => {
    const { server, receiver, transport } = await create((seen, response) => {
      if (seen.method === 'GET')
        response
          .writeHead(200, SSE)
          .write('event: endpoint\ndata: /a\n\nevent: endpoint\ndata: http://evil.example/\n\n');
      else response.writeHead(202).end();
    });
    await transport.start(receiver);
    await transport.send(notification());
    expect(server.seen[1]?.path).toBe('/a');
  });

  test.each<readonly [string, Script, object]>([
    ['405', (_seen, response) => void response.writeHead(405).end(), { code: 'HTTP_STATUS', status: 405 }],
    [
      '401',
      (_seen, response) => void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end(),
      { code: 'HTTP_UNAUTHORIZED', challenge: 'Bearer' },
    ],
    ['no stream', (_seen, response) => void response.end('hi'), { code: 'HTTP_WRONG_CONTENT_TYPE' }],
    ['an end', (_seen, response) => void response.writeHead(200, SSE).end(), { code: 'CONNECTION_CLOSED' }],
    ['silence', () => {}, { code: 'TIMEOUT_FIRST_BYTE' }],
    [
      'no address',
      (_seen, response) => void response.writeHead(200, SSE).write(': hi\n\n'),
      { code: 'TIMEOUT_FIRST_BYTE' },
    ],
    [
      'a huge event',
      (_seen, response) => void response.writeHead(200, SSE).write(`data: ${'x'.repeat(5000)}\n\n`),
      { code: 'SSE_EVENT_DATA_TOO_LARGE' },
    ],
  ])('starting meets %s', async (_name, script, expected) => {
    const timeouts = { connectMs: 100, firstByteMs: 100 };
    const { receiver, transport } = await create(script, { timeouts, limits: { responseBytes: 4000 } });
    expect(await faultOf(transport.start(receiver))).toMatchObject(expected);
    expect(receiver.reasons).toEqual([]);
  });

  test.each([
    [400, 'HTTP_STATUS'],
    [401, 'HTTP_UNAUTHORIZED'],
    [307, 'HTTP_REDIRECT'],
    [500, 'HTTP_STATUS'],
  ])('a message refused with %i', async (status, code) => {
    const { receiver, transport } = await create(old('/m', status));
    await transport.start(receiver);
    expect(await faultOf(transport.send(notification()))).toMatchObject({ code, status });
  });

  test('the peer is gone when its stream ends, said once', async () => {
    let stream: ServerResponse | undefined;
    const { receiver, transport } = await create((seen, response) => {
      if (seen.method === 'POST') return;
      stream = response;
      response.writeHead(200, SSE).write('event: endpoint\ndata: /m\n\n');
    });
    await transport.start(receiver);
    const sent = outcomeOf(transport.send(request(1)));
    stream?.destroy();
    await until(() => receiver.reasons.length === 1, 'the end is reported');
    expect(receiver.reasons).toMatchObject([{ code: 'CONNECTION_CLOSED' }]);
    expect(await sent).toMatchObject({ code: expect.stringMatching(/ABORTED|CONNECTION_CLOSED/) });
    expect(await faultOf(transport.send(request(2)))).toMatchObject({
      code: 'CONNECTION_CLOSED',
      mayHaveArrived: false,
    });
    await transport.close();
    expect(receiver.reasons).toHaveLength(1);
  });

  test('events that are no messages are skipped with a warning', async () => {
    const { receiver, transport } = await create((seen, response) => {
      if (seen.method === 'GET')
        response
          .writeHead(200, SSE)
          .write(
            `event: endpoint\ndata: /m\n\ndata: {\n\ndata: 1\n\ndata: {"id":8}\n\ndata: ${resultText(9)}\n\n`,
          );
    });
    await transport.start(receiver);
    await until(() => receiver.received.length === 1, 'the message arrives');
    expect(receiver.warningCodes).toEqual(['not_json', 'not_jsonrpc', 'not_jsonrpc']);
    expect(receiver.badAnswers).toEqual([8]);
  });

  test('a message can be aborted', async () => {
    const { server, receiver, transport } = await create((seen, response) => {
      if (seen.method === 'GET') response.writeHead(200, SSE).write('event: endpoint\ndata: /m\n\n');
    });
    await transport.start(receiver);
    const controller = new AbortController();
    const sent = transport.send(request(1, 'x', { signal: controller.signal }));
    await until(() => server.seen.length === 2, 'the message arrives');
    controller.abort();
    expect((await faultOf(sent)).code).toBe('ABORTED');
    expect((await faultOf(transport.send(request(2, 'x', { signal: controller.signal })))).code).toBe(
      'ABORTED',
    );
  });

  test('closing twice, and while starting', async () => {
    const { receiver, transport } = await create(() => {});
    const started = outcomeOf(transport.start(receiver));
    await Promise.all([transport.close(), transport.close()]);
    expect(await started).toMatchObject({ code: 'ABORTED' });
    expect(receiver.reasons).toEqual([]);
  });
});
