import { describe, expect, test } from 'vitest';
import { idOf, json, SSE } from '../../../test/support/http/answers.js';
import {
  errorText,
  faultOf,
  host,
  hostBytes,
  notification,
  open,
  outcomeOf,
  request,
  resultText,
} from '../../../test/support/http/open.js';
import { until } from '../../../test/support/http/until.js';

describe('sending', () => {
  test('C10: one POST per message, with the headers every server wants', async () => {
    const server = await host((seen, response) => json(response, resultText(idOf(seen))));
    const { transport, receiver } = await open(server.url, {
      headers: () => ({ Authorization: 'Bearer t' }),
    });
    await transport.send(request(0));
    await transport.send(request('a'));
    expect(server.seen).toHaveLength(2);
    for (const seen of server.seen) {
      expect(seen).toMatchObject({ method: 'POST', path: '/mcp' });
      expect(seen.headers).toMatchObject({
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'accept-encoding': 'identity',
        authorization: 'Bearer t',
      });
      expect(seen.headers).not.toHaveProperty('mcp-session-id');
      expect(seen.headers).not.toHaveProperty('mcp-protocol-version');
    }
    expect(server.seen[0]?.body).toBe(request(0).text);
    expect(receiver.received).toEqual([
      { message: { kind: 'result', id: 0, result: {} }, during: 0, status: undefined },
      { message: { kind: 'result', id: 'a', result: {} }, during: 'a', status: undefined },
    ]);
    expect(receiver.warnings).toEqual([]);
  });

  test('headers are asked for at every request, may come late, and cannot replace ours', async () => {
    const server = await host((seen, response) => json(response, resultText(idOf(seen))));
    let calls = 0;
    const headers = (): Promise<Record<string, string>> =>
      Promise.resolve({
        'X-Call': String(++calls),
        Accept: 'text/html',
        'MCP-SESSION-ID': 'forged',
        Host: 'other',
      });
    const { transport } = await open(server.url, { headers });
    await transport.send(request(1));
    await transport.send(request(2));
    expect(server.seen.map((seen) => seen.headers['x-call'])).toEqual(['1', '2']);
    expect(server.seen[0]?.headers).toMatchObject({
      accept: 'application/json, text/event-stream',
      host: server.url.host,
    });
    expect(server.seen[0]?.headers).not.toHaveProperty('mcp-session-id');
  });

  test.each([
    [
      'thrown',
      () => {
        throw new Error('no token');
      },
    ],
    ['rejected', () => Promise.reject(new Error('no token'))],
  ])('what the header provider reports reaches the caller: %s', async (_how, headers) => {
    const server = await host((_seen, response) => json(response, ''));
    const { transport } = await open(server.url, { headers });
    await expect(transport.send(request(1))).rejects.toThrow('no token');
    expect(server.seen).toEqual([]);
  });

  test('a header that cannot be sent is a fault, and its value is not shown', async () => {
    const server = await host((_seen, response) => json(response, ''));
    const { transport } = await open(server.url, {
      headers: () => ({ Authorization: 'Bearer s3cret\r\nx: y' }),
    });
    const fault = await faultOf(transport.send(request(1)));
    expect(fault).toMatchObject({ code: 'CONNECT_FAILED', mayHaveArrived: false });
    expect(`${fault.message} ${String(fault.cause)}`).not.toContain('s3cret');
  });

  test('C13: headers of the message win over the revision of the transport', async () => {
    const server = await host((seen, response) => json(response, resultText(idOf(seen))));
    const { transport } = await open(server.url);
    transport.setRevision('2025-11-25');
    await transport.send(request(1));
    const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'x' };
    await transport.send(request(2, 'tools/call', { headers }));
    expect(server.seen.map((seen) => seen.headers['mcp-protocol-version'])).toEqual([
      '2025-11-25',
      '2026-07-28',
    ]);
    expect(server.seen[1]?.headers).toMatchObject({ 'mcp-method': 'tools/call', 'mcp-name': 'x' });
  });

  test.each([200, 202, 204])('C35: a notification answered with %i', async (status) => {
    const server = await host((_seen, response) => response.writeHead(status).end());
    const { transport, receiver } = await open(server.url);
    await transport.send(notification());
    await transport.send({ method: undefined, text: resultText('s-1') });
    expect(receiver.received).toEqual([]);
  });

  test('connections are kept, after JSON and after an event stream', async () => {
    const server = await host((seen, response) => {
      const answer = resultText(idOf(seen) ?? null);
      if (seen.body.includes('"stream"')) response.writeHead(200, SSE).end(`data: ${answer}\n\n`);
      else json(response, answer);
    });
    const { transport } = await open(server.url);
    for (const id of [1, 2, 3, 4, 5]) {
      await transport.send(request(id));
      await transport.send(request(id + 10, 'stream'));
      await transport.send(notification());
    }
    // The pool rests a connection for a moment before it uses it again, so there are two or three.
    expect(server.connections).toBeLessThan(4);
  });

  test('an answer nobody wants is not read for long', async () => {
    let written = 0;
    const server = await host((_seen, response) => {
      response.writeHead(200);
      const piece = Buffer.alloc(64 * 1024);
      const more = (): void => {
        while (!response.destroyed && written < 256 * 1024 * 1024) {
          written += piece.length;
          if (!response.write(piece)) return;
        }
      };
      response.on('drain', more);
      more();
    });
    const { transport } = await open(server.url);
    await transport.send(notification());
    await until(() => server.openConnections === 0, 'the connection is closed');
    expect(written).toBeLessThan(32 * 1024 * 1024);
  });

  test('after close nothing is sent', async () => {
    const server = await host((seen, response) => json(response, resultText(idOf(seen))));
    const { transport } = await open(server.url);
    await transport.close();
    await transport.close();
    expect(await faultOf(transport.send(request(1)))).toMatchObject({
      code: 'CONNECTION_CLOSED',
      mayHaveArrived: false,
    });
    expect(server.seen).toEqual([]);
  });
});

describe('event streams', () => {
  test('C27: every message is handed over with the request it came during, and the answer ends the exchange', async () => {
    let ended = false;
    const server = await host((seen, response) => {
      response.on('close', () => (ended = true));
      response.writeHead(200, SSE);
      response.write(': hello\n\n');
      response.write('event: ping\ndata: whatever\n\n');
      response.write(
        'data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7}}\n\n',
      );
      response.write('data: {"jsonrpc":"2.0","id":"s-1","method":"elicitation/create","params":{}}\n\n');
      response.write(`data: ${resultText(99)}\n\n`);
      response.write(`event: message\ndata: ${resultText(idOf(seen), { text: 'mine' })}\n\n`);
      response.write(`data: ${resultText(idOf(seen), { text: 'twice' })}\n\n`);
      response.write(`data: ${errorText(idOf(seen), -1)}\n\n`);
    });
    const patient = { idleMs: 30_000, totalMs: 60_000 };
    const { transport, receiver } = await open(server.url, { timeouts: patient });
    await transport.send(request(7));
    expect(
      receiver.received.map(({ message, during }) => [
        message.kind,
        'id' in message ? message.id : undefined,
        during,
      ]),
    ).toEqual([
      ['notification', undefined, 7],
      ['request', 's-1', 7],
      ['result', 99, 7],
      ['result', 7, 7],
    ]);
    expect(receiver.messages.at(-1)).toMatchObject({ result: { text: 'mine' } });
    // The server never ends this stream; the connection is not kept for it.
    await until(() => ended, 'the connection is closed');
    expect(receiver.received).toHaveLength(4);
  });

  test('C25: a stream cut at every byte, in the middle of characters too', async () => {
    const server = await hostBytes((socket) => {
      const answer = Buffer.from(
        'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nConnection: close\r\n\r\n' +
          `\uFEFFid: é\r\nevent: message\r\ndata: {"jsonrpc":"2.0",\r\ndata: "id":1,"result":{"text":"漢字 😀"}}\r\n\r\n`,
      );
      socket.setNoDelay(true);
      let at = 0;
      const next = (): void => {
        if (at < answer.length && !socket.destroyed)
          socket.write(answer.subarray(at, ++at), () => setImmediate(next));
      };
      next();
    });
    const { transport, receiver } = await open(server.url);
    await transport.send(request(1));
    expect(receiver.messages).toEqual([{ kind: 'result', id: 1, result: { text: '漢字 😀' } }]);
  });

  test('an event that lacks its blank line at the end of the answer still counts', async () => {
    const server = await host((seen, response) => {
      response.writeHead(200, SSE).end(`event: message\ndata: ${resultText(idOf(seen))}`);
    });
    const { transport, receiver } = await open(server.url);
    await transport.send(request(1));
    expect(receiver.messages).toHaveLength(1);
  });

  test('answers of concurrent requests reach their own request', async () => {
    const server = await host((seen, response) => {
      const id = idOf(seen);
      response.writeHead(200, SSE);
      setTimeout(() => response.end(`data: ${resultText(id, { of: id })}\n\n`), 20 - Number(id));
    });
    const { transport, receiver } = await open(server.url);
    await Promise.all(Array.from({ length: 20 }, (_, id) => transport.send(request(id))));
    expect(receiver.received).toHaveLength(20);
    for (const { message, during } of receiver.received) {
      expect(message).toEqual({ kind: 'result', id: during, result: { of: during } });
    }
  });

  test('a standing answer outlives the total limit', async () => {
    const server = await host((seen, response) => {
      response.writeHead(200, SSE).write(': open\n\n');
      setTimeout(() => response.end(`data: ${resultText(idOf(seen))}\n\n`), 500);
    });
    const { transport } = await open(server.url, { timeouts: { totalMs: 200, idleMs: 150 } });
    expect(await outcomeOf(transport.send(request(1, 'subscriptions/listen', { standing: true })))).toBe(
      'ok',
    );
    expect(await faultOf(transport.send(request(2)))).toMatchObject({ code: /TIMEOUT_(IDLE|TOTAL)/ });
  });
});

describe('JSON answers', () => {
  test('an array holds several messages', async () => {
    const server = await host((_seen, response) => {
      json(response, `[{"jsonrpc":"2.0","method":"n"},17,${resultText(2)},${resultText(1)}]`);
    });
    const { transport, receiver } = await open(server.url);
    await transport.send(request(1));
    expect(receiver.messages.map((message) => ('id' in message ? message.id : message.kind))).toEqual([
      'notification',
      2,
      1,
    ]);
    expect(receiver.warningCodes).toEqual(['not_jsonrpc']);
  });

  test('a large answer in many pieces', async () => {
    const text = 'äöü'.repeat(200_000);
    const server = await host((seen, response) => json(response, resultText(idOf(seen), { text })));
    const { transport, receiver } = await open(server.url);
    await transport.send(request(1));
    expect(receiver.messages).toEqual([{ kind: 'result', id: 1, result: { text } }]);
  });

  test('an id of the wrong type is mended, with a warning', async () => {
    const server = await host((_seen, response) => json(response, resultText('5')));
    const { transport, receiver } = await open(server.url);
    await transport.send(request(5));
    expect(receiver.messages).toEqual([{ kind: 'result', id: 5, result: {} }]);
    expect(receiver.warningCodes).toEqual(['wrong_id_type']);
  });

  test('an error that names no id is about the request it answers', async () => {
    const server = await host((_seen, response) => json(response, errorText(null, -32700)));
    const { transport, receiver } = await open(server.url);
    await transport.send(request(5));
    expect(receiver.messages).toMatchObject([{ kind: 'error', id: 5, error: { code: -32700 } }]);
  });
});
