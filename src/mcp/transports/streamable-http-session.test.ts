import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { idOf, json, SSE } from '../../../test/support/http/answers.js';
import {
  errorText,
  faultOf,
  host,
  hostBytes,
  open,
  request,
  resultText,
} from '../../../test/support/http/open.js';
import type { SeenRequest } from '../../../test/support/http/scripted-server.js';

describe('session', () => {
  const handshake = (seen: SeenRequest, response: ServerResponse): boolean => {
    if (!seen.body.includes('"initialize"')) return false;
    json(response, resultText(idOf(seen)), { 'Mcp-Session-Id': 's-1' });
    return true;
  };

  test('C14: the session comes from the handshake alone and goes with everything after it', async () => {
    const server = await host((seen, response) => {
      if (handshake(seen, response)) return;
      if (seen.method === 'DELETE') response.writeHead(405).end();
      else json(response, resultText(idOf(seen)), { 'Mcp-Session-Id': 's-2' });
    });
    const { transport } = await open(server.url, { headers: () => ({ authorization: 'Bearer t' }) });
    await transport.send(request(0, 'tools/list'));
    await transport.send(request(1, 'initialize'));
    transport.setRevision('2025-11-25');
    await transport.send(request(2));
    await transport.send(request(3));
    await transport.close();
    expect(server.seen.map((seen) => [seen.method, seen.headers['mcp-session-id']])).toEqual([
      ['POST', undefined],
      ['POST', undefined],
      ['POST', 's-1'],
      ['POST', 's-1'],
      ['DELETE', 's-1'],
    ]);
    expect(server.seen[4]?.headers).toMatchObject({
      'mcp-protocol-version': '2025-11-25',
      authorization: 'Bearer t',
    });
  });

  test('C14: a handshake without a session clears the old one, a failed one does not', async () => {
    let round = 0;
    const server = await host((seen, response) => {
      if (!seen.body.includes('"initialize"')) return json(response, resultText(idOf(seen)));
      round++;
      if (round === 1) json(response, resultText(idOf(seen)), { 'Mcp-Session-Id': 's-1' });
      else if (round === 2) json(response, errorText(idOf(seen), -32602), { 'Mcp-Session-Id': 's-2' });
      else json(response, resultText(idOf(seen)));
    });
    const { transport } = await open(server.url);
    for (const [id, method] of [
      [1, 'initialize'],
      [2, 'x'],
      [3, 'initialize'],
      [4, 'x'],
      [5, 'initialize'],
      [6, 'x'],
    ] as const) {
      await transport.send(request(id, method));
    }
    const calls = server.seen.filter((seen) => seen.body.includes('"x"'));
    expect(calls.map((seen) => seen.headers['mcp-session-id'])).toEqual(['s-1', 's-1', undefined]);
  });

  test('C14: the session of an event stream counts from its result on', async () => {
    const server = await host((seen, response) => {
      if (!seen.body.includes('"initialize"')) return json(response, resultText(idOf(seen)));
      response.writeHead(200, { ...SSE, 'Mcp-Session-Id': 's-1' });
      response.end(`data: ${resultText(idOf(seen))}\n\n`);
    });
    const { transport } = await open(server.url);
    await transport.send(request(1, 'initialize'));
    await transport.send(request(2));
    expect(server.seen[1]?.headers['mcp-session-id']).toBe('s-1');
  });

  test.each([
    ['too long', 'x'.repeat(1025)],
    ['with a blank', 'a b'],
    ['not ASCII', 'é'],
    ['empty', ''],
  ])('a session id that is %s is refused', async (_name, session) => {
    const server = await hostBytes((socket, text) => {
      const id = JSON.parse(text.slice(text.indexOf('\r\n\r\n'))).id;
      const body = resultText(id);
      socket.write(
        Buffer.from(
          `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: ${session}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
          'latin1',
        ),
      );
    });
    const { transport, receiver } = await open(server.url);
    const fault = await faultOf(transport.send(request(1, 'initialize')));
    expect(fault.code).toBe('HTTP_INVALID_BODY');
    expect(receiver.received).toEqual([]);
  });

  test('C30: 404 with a session drops it, once', async () => {
    let known = true;
    const server = await host((seen, response) => {
      if (handshake(seen, response)) return;
      if (known) json(response, resultText(idOf(seen)));
      else json(response, errorText(idOf(seen), -32001), {}, 404);
    });
    const { transport, receiver } = await open(server.url);
    await transport.send(request(1, 'initialize'));
    known = false;
    const fault = await faultOf(transport.send(request(2)));
    expect(fault).toMatchObject({ code: 'MCP_SESSION_NOT_FOUND', status: 404, mayHaveArrived: false });
    expect(fault.message).not.toContain('s-1');
    known = true;
    await transport.send(request(3));
    expect(server.seen[2]?.headers).not.toHaveProperty('mcp-session-id');
    expect(receiver.messages.map((message) => message.kind)).toEqual(['result', 'result']);
  });

  test('a modern message carries no session', async () => {
    const server = await host((seen, response) => {
      if (!handshake(seen, response)) json(response, resultText(idOf(seen)));
    });
    const { transport } = await open(server.url);
    await transport.send(request(1, 'initialize'));
    await transport.send(request(2, 'server/discover', { headers: { 'mcp-method': 'server/discover' } }));
    expect(server.seen[1]?.headers).not.toHaveProperty('mcp-session-id');
  });

  test.each([200, 404, 405, 500])('C39: closing ends the session and does not mind a %i', async (status) => {
    const server = await host((seen, response) => {
      if (!handshake(seen, response)) response.writeHead(status).end();
    });
    const { transport } = await open(server.url);
    await transport.send(request(1, 'initialize'));
    await Promise.all([transport.close(), transport.close()]);
    expect(server.seen.map((seen) => seen.method)).toEqual(['POST', 'DELETE']);
  });

  test('C39: a server that does not answer holds closing up only so long', async () => {
    const server = await host((seen, response) => void handshake(seen, response));
    const { transport } = await open(server.url, { timeouts: { closeMs: 100 } });
    await transport.send(request(1, 'initialize'));
    const start = performance.now();
    await transport.close();
    expect(performance.now() - start).toBeLessThan(1500);
  });
});
