import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { eventsOf } from '../support/hub-events.js';
import { requestsOf, startRemote, type RemoteOptions } from '../support/remote-connector.js';
import { closeAfterEach } from '../support/resources.js';
import type { SeenRequest, UpstreamScript } from '../support/scripted-upstream.js';

/** Remote connectors over HTTP: the handshake, and every kind of answer. */

const keep = closeAfterEach();
const start = (options?: RemoteOptions) => startRemote(keep, options);

describe('handshake', () => {
  test('initialize, notifications/initialized, then everything else', async () => {
    const { upstream, call } = await start();
    await call();
    const methods = upstream.methods().filter((method) => method !== 'server/discover' && method !== 'GET');
    const sessions = methods.join(' ').split('initialize ').slice(1);
    expect(sessions.length).toBeGreaterThan(0);
    for (const session of sessions) expect(session.startsWith('notifications/initialized')).toBe(true);
  });

  test('the session id of the handshake is echoed on every later request and on the goodbye', async () => {
    const { upstream, hub, call } = await start({ connector: { isolation: 'shared' } });
    await call();
    await hub.running.stop();
    const sessionsOf = (method: string) =>
      requestsOf(upstream.seen, method).map(({ headers }) => headers['mcp-session-id']);
    // One for listing and one for a caller who cannot be asked anything: what is declared in the handshake differs.
    const sessions = sessionsOf('notifications/initialized');
    expect(new Set(sessions).size).toBe(2);
    for (const session of sessions) expect(session).toMatch(/^[0-9a-f-]{36}$/);
    expect(sessionsOf('initialize')).toEqual([undefined, undefined]);
    for (const method of ['tools/list', 'tools/call']) {
      expect(sessionsOf(method).length, method).toBeGreaterThan(0);
      for (const session of sessionsOf(method)) expect(sessions, method).toContain(session);
    }
    expect(new Set(sessionsOf('DELETE'))).toEqual(new Set(sessions));
  });

  test('D25: a session id in any other answer changes nothing', async () => {
    const sendsAnother = ({ rpc }: SeenRequest, response: ServerResponse): boolean => {
      if (rpc.method === 'tools/call') response.setHeader('mcp-session-id', 'another-session');
      return false;
    };
    const { upstream, call } = await start({ script: { intercept: sendsAnother } });
    await call();
    await call();
    const [first, second] = requestsOf(upstream.seen, 'tools/call');
    expect(first?.headers['mcp-session-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(second?.headers['mcp-session-id']).toBe(first?.headers['mcp-session-id']);
  });

  test('a server without sessions is served without, and still told that it is initialized', async () => {
    const { upstream, call } = await start({ script: { sessions: false } });
    expect(await call()).toMatchObject({ content: [{ text: 'add {"a":1,"b":2}' }] });
    expect(requestsOf(upstream.seen, 'notifications/initialized').length).toBeGreaterThan(0);
    expect(upstream.seen.every(({ headers }) => headers['mcp-session-id'] === undefined)).toBe(true);
  });

  test.each(['2025-03-26', '2025-06-18', '2025-11-25'])(
    'the negotiated version %s is echoed',
    async (revision) => {
      const { upstream, call } = await start({ script: { revision } });
      await call();
      for (const method of ['notifications/initialized', 'tools/list', 'tools/call'])
        for (const { headers } of requestsOf(upstream.seen, method))
          expect(headers['mcp-protocol-version'], method).toBe(revision);
    },
  );

  test('every request accepts both kinds of answer', async () => {
    const { upstream, call } = await start();
    await call();
    const posts = upstream.seen.filter(({ httpMethod }) => httpMethod === 'POST');
    for (const { headers } of posts)
      expect([headers['accept'], headers['content-type']]).toEqual([
        'application/json, text/event-stream',
        'application/json',
      ]);
  });
});

/** Answers the next calls with raw text. */
const answering = (
  write: (id: unknown) => string,
  contentType = 'text/event-stream',
  status = 200,
): UpstreamScript => ({
  intercept: ({ rpc }, response) => {
    if (rpc.method !== 'tools/call') return false;
    response.writeHead(status, { 'content-type': contentType }).end(write(rpc.id));
    return true;
  },
});
const result = (id: unknown): string =>
  JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'seven' }] } });
const notice = JSON.stringify({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken: 'x', progress: 1 },
});

describe('answers', () => {
  test.each<readonly [string, UpstreamScript]>([
    ['one JSON document', answering(result, 'application/json')],
    ['a JSON document with a charset', answering(result, 'application/json; charset=utf-8')],
    ['an event', answering((id) => `event: message\ndata: ${result(id)}\n\n`)],
    [
      'past notifications',
      answering((id) => `data: ${notice}\n\ndata: ${notice}\n\ndata: ${result(id)}\n\n`),
    ],
    [
      'past a request of the server',
      answering((id) => `data: {"jsonrpc":"2.0","id":"s1","method":"ping"}\n\ndata: ${result(id)}\n\n`),
    ],
    ['past answers to other ids', answering((id) => `data: ${result(987_654)}\n\ndata: ${result(id)}\n\n`)],
    ['data on several lines', answering((id) => `data: ${result(id).replaceAll(',"', ',\ndata: "')}\n\n`)],
    [
      'other fields and comments',
      answering((id) => `: hello\nid: 4\nretry: 10\nnonsense: 1\nevent: message\ndata:${result(id)}\n\n`),
    ],
    ['lines that end in CRLF', answering((id) => `event: message\r\ndata: ${result(id)}\r\n\r\n`)],
    ['D19: an id that became text', answering((id) => `data: ${result(String(id))}\n\n`)],
    [
      'an event stream under the wrong type',
      answering((id) => `event: message\ndata: ${result(id)}\n\n`, 'text/plain'),
    ],
  ])('%s', async (_name, script) => {
    const { call } = await start({ script });
    expect(await call()).toMatchObject({ content: [{ type: 'text', text: 'seven' }] });
  });

  test.each<readonly [string, UpstreamScript, RegExp]>([
    ['an empty stream', answering(() => '\n\n'), /connector remote: /],
    ['an empty body', answering(() => '', 'application/json'), /answered nothing/],
    ['text that is not JSON', answering(() => '{"jsonrpc":', 'application/json'), /cannot be read/],
    ['an event that is not JSON', answering(() => 'data: {"jsonrpc":\n\n'), /event cannot be read/],
    [
      'D19: only an answer to another id',
      answering(() => `data: ${result(987_654)}\n\n`),
      /connector remote: /,
    ],
    [
      'neither result nor error',
      answering((id) => `{"jsonrpc":"2.0","id":${String(id)}}`, 'application/json'),
      /connector remote: /,
    ],
    [
      'an HTTP error, without its text',
      answering(() => 'password hunter2', 'text/plain', 500),
      /answered with an error \(HTTP 500\)/,
    ],
  ])('%s is a failure that says what happened', async (_name, script, text) => {
    const { call, hub } = await start({ script, connector: { limits: { sseReconnects: 0 } } });
    const answer = await call();
    expect(answer).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(text) as string }],
    });
    expect(JSON.stringify(answer)).not.toContain('hunter2');
    const [finished] = await eventsOf(hub, 'call.finished');
    expect(['failed', 'outcome_unknown']).toContain(finished?.outcome);
  });

  test("the server's own error comes through with its code", async () => {
    const nope = answering(
      (id) => `{"jsonrpc":"2.0","id":${String(id)},"error":{"code":-32601,"message":"nope"}}`,
      'application/json',
    );
    const { call } = await start({ script: nope });
    await expect(call()).rejects.toMatchObject({ code: -32_601, message: 'nope' });
  });
});
