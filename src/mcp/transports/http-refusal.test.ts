import { describe, expect, test } from 'vitest';
import { chunk, keepsSaying, meet, says, SHORT, thenEnds } from '../../../test/support/http/byte-scripts.js';
import { errorText, faultOf, host, open, request, resultText } from '../../../test/support/http/open.js';
import type { Outgoing } from './transport.js';

describe('refusals', () => {
  const modern = request(1, 'tools/call', { headers: { 'Mcp-Method': 'tools/call' } });
  const handshake = request(1, 'initialize');
  const legacy = request(1);

  type Refusal = readonly [
    status: number,
    outgoing: Outgoing,
    body: string,
    headers: Record<string, string>,
    expected: object,
  ];
  test.each<Refusal>([
    [400, legacy, errorText(null, -32000), {}, { code: 'HTTP_SESSION_REQUIRED', mayHaveArrived: true }],
    [400, legacy, errorText('server-error', -32600), {}, { code: 'HTTP_SESSION_REQUIRED' }],
    [400, legacy, 'Mcp-Session-Id header is required', {}, { code: 'HTTP_SESSION_REQUIRED' }],
    [400, { text: '{}', method: 'notifications/x' }, '', {}, { code: 'HTTP_SESSION_REQUIRED' }],
    [400, handshake, 'no', {}, { code: 'HTTP_STATUS', status: 400 }],
    [400, modern, '<h1>Bad Request</h1>', {}, { code: 'HTTP_STATUS', status: 400 }],
    [400, modern, errorText(2, -32022), {}, { code: 'HTTP_STATUS', status: 400 }],
    [
      401,
      legacy,
      errorText(1, -32001),
      { 'WWW-Authenticate': 'Bearer resource_metadata="https://x/y"' },
      {
        code: 'HTTP_UNAUTHORIZED',
        status: 401,
        challenge: 'Bearer resource_metadata="https://x/y"',
        mayHaveArrived: false,
      },
    ],
    [
      403,
      legacy,
      '',
      { 'WWW-Authenticate': 'Bearer error="insufficient_scope"' },
      { code: 'HTTP_FORBIDDEN', challenge: 'Bearer error="insufficient_scope"', mayHaveArrived: true },
    ],
    [403, legacy, errorText(null, -32000), {}, { code: 'HTTP_FORBIDDEN', challenge: undefined }],
    [404, legacy, 'Not Found', {}, { code: 'HTTP_STATUS', status: 404 }],
    [405, legacy, '', { Allow: 'GET' }, { code: 'HTTP_STATUS', status: 405 }],
    [406, legacy, errorText(null, -32000), {}, { code: 'HTTP_NOT_ACCEPTABLE', mayHaveArrived: false }],
    [418, legacy, 'short and stout', {}, { code: 'HTTP_STATUS', status: 418 }],
    [
      429,
      legacy,
      errorText(1, -32000),
      { 'Retry-After': '7' },
      { code: 'HTTP_STATUS', status: 429, retryAfterMs: 7000, mayHaveArrived: false },
    ],
    [429, legacy, '', { 'Retry-After': '86400' }, { code: 'HTTP_STATUS', retryAfterMs: 60_000 }],
    [500, legacy, 'password is hunter2', {}, { code: 'HTTP_STATUS', status: 500, mayHaveArrived: true }],
    [502, legacy, resultText(1), {}, { code: 'HTTP_STATUS', status: 502 }],
    [
      503,
      legacy,
      '',
      { 'Retry-After': '0' },
      { code: 'HTTP_STATUS', status: 503, retryAfterMs: 0, mayHaveArrived: true },
    ],
    [503, legacy, errorText(1, -32000), { 'Retry-After': '3' }, { code: 'HTTP_STATUS', retryAfterMs: 3000 }],
    [503, legacy, '', {}, { code: 'HTTP_STATUS', retryAfterMs: undefined }],
    [999, legacy, '', {}, { code: 'HTTP_STATUS', status: 999 }],
  ])('C29: %i to %o', async (status, outgoing, body, headers, expected) => {
    const server = await host((_seen, response) => response.writeHead(status, headers).end(body));
    const { transport, receiver } = await open(server.url);
    const fault = await faultOf(transport.send(outgoing));
    expect(fault).toMatchObject(expected);
    expect(`${fault.message} ${String(fault.cause)}`).not.toContain('hunter2');
    expect(receiver.received).toEqual([]);
    // A refusal is no reason to give the connection up.
    await faultOf(transport.send(outgoing));
    await faultOf(transport.send(outgoing));
    expect(server.connections).toBeLessThan(3);
  });

  test.each<readonly [number, Outgoing, string]>([
    [400, modern, errorText(1, -32022)],
    [400, modern, errorText(undefined, -32020)],
    [400, modern, errorText(null, -32020)],
    [404, modern, errorText(1, -32601)],
    [400, legacy, errorText(1, -32602)],
    [400, handshake, errorText(null, -32000)],
    [500, legacy, errorText(1, -32603)],
    [503, legacy, errorText('1', -32000)],
  ])("C29: %i with the peer's own error is handed over", async (status, outgoing, body) => {
    const server = await host((_seen, response) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(body),
    );
    const { transport, receiver } = await open(server.url);
    await transport.send(outgoing);
    const { error } = JSON.parse(body);
    expect(receiver.received).toEqual([{ message: { kind: 'error', id: 1, error }, during: 1, status }]);
  });

  test('C29: a refusal without end, or that breaks, is its status', async () => {
    const endless = await meet(
      keepsSaying('HTTP/1.1 500 Oops\r\nTransfer-Encoding: chunked\r\n\r\n', chunk('x'.repeat(10_000)), 1),
    );
    expect(endless.outcome).toMatchObject({ code: 'HTTP_STATUS', status: 500 });
    const broken = await meet(thenEnds(says('HTTP/1.1 500 Oops\r\nContent-Length: 100\r\n\r\n{')));
    expect(broken.outcome).toMatchObject({ code: 'HTTP_STATUS', status: 500 });
    const silent = await meet(says('HTTP/1.1 500 Oops\r\nContent-Length: 100\r\n\r\n{'), { timeouts: SHORT });
    expect(silent.outcome).toMatchObject({ code: 'HTTP_STATUS', status: 500 });
  });

  test.each([301, 302, 303, 307, 308])('C36: %i is not followed', async (status) => {
    let followed = 0;
    const canary = await host((_seen, response) => {
      followed++;
      response.end();
    });
    const server = await host((seen, response) => {
      if (seen.path !== '/mcp') followed++;
      const location = seen.body.includes('elsewhere') ? canary.url.href : '/other';
      response.writeHead(status, { location }).end();
    });
    const { transport } = await open(server.url);
    expect(await faultOf(transport.send(request(1)))).toMatchObject({ code: 'HTTP_REDIRECT', status });
    expect(await faultOf(transport.send(request(2, 'elsewhere')))).toMatchObject({
      code: 'HTTP_REDIRECT',
      status,
    });
    expect(followed).toBe(0);
  });
});
