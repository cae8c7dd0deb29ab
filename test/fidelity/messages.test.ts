import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/mcp/jsonrpc/index.js';
import { serve } from '../support/http/scripted-server.js';
import { openRawAgent } from '../support/raw-agent.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream, type SeenRequest, type UpstreamScript } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync } from '../support/start-hub.js';

/** Errors, digits, and what an upstream says while it works. */

const keep = closeAfterEach();
const ERAS = ['legacy', 'modern'] as const;

async function start(script: UpstreamScript, era: (typeof ERAS)[number]) {
  const upstream = keep(
    await startUpstream({
      tools: [{ name: 't', inputSchema: { type: 'object' } }],
      resources: [],
      prompts: [{ name: 'p' }],
      revision: '2025-11-25',
      ...script,
    }),
  );
  const hub = keep(await startTestHub({ config: { connectors: { up: { url: upstream.url } } } }));
  await waitForSync(hub, 'up');
  const agent = await openRawAgent({ url: `${hub.url}/connectors/up/mcp`, key: hub.localKey, era });
  return { upstream, hub, agent };
}

const answers = (
  wanted: string,
  write: (id: unknown, response: ServerResponse, request: SeenRequest) => void,
): UpstreamScript => ({
  intercept: (request, response) => {
    if (request.rpc.method !== wanted) return false;
    write(request.rpc.id, response, request);
    return true;
  },
});

describe.each(ERAS)('errors of the upstream, %s client', (era) => {
  const failing = (method: string, error: object): UpstreamScript =>
    answers(method, (id, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, error })),
    );

  test.each<readonly [string, JsonObject, number]>([
    ['tools/call', { name: 't' }, -32_602],
    ['tools/call', { name: 't' }, -32_603],
    ['tools/call', { name: 't' }, 1_234],
    ['prompts/get', { name: 'p' }, -32_602],
    ['resources/read', { uri: 'x:1' }, -32_603],
  ])('%s %j: code %i and text stay, data does not', async (method, params, code) => {
    const { agent } = await start(
      failing(method, { code, message: 'why ü', data: { stack: 'canary' } }),
      era,
    );
    const { message } = await agent.request(method, params);
    expect(message).toMatchObject({ error: { code, message: 'why ü' } });
    expect(JSON.stringify(message)).not.toContain('canary');
  });

  test.each([-32_000, -32_042, -32_099])(
    'code %i, which means something else on our hop, becomes an internal error',
    async (code) => {
      const { agent } = await start(failing('tools/call', { code, message: 'why' }), era);
      expect((await agent.request('tools/call', { name: 't' })).message).toMatchObject({
        error: { code: -32_603, message: 'why' },
      });
    },
  );

  test.each([
    { code: -32_002, message: 'gone' },
    { code: -32_602, message: 'gone', data: { uri: 'x:1' } },
  ])('a missing resource (%j) is missing here too, in the words of this era', async (error) => {
    const { agent } = await start(failing('resources/read', error), era);
    const { message } = await agent.request('resources/read', { uri: 'x:1' });
    expect(message).toMatchObject({
      error: { code: era === 'modern' ? -32_602 : -32_002, data: { uri: 'x:1' } },
    });
  });
});

describe.each(ERAS)('while it works, %s client', (era) => {
  test('progress arrives under the token of the caller, in order, before the result', async () => {
    const { agent } = await start(
      answers('tools/call', (id, response, { rpc }) => {
        const { progressToken } = (rpc.params?.['_meta'] ?? {}) as { progressToken?: unknown };
        const progress = (value: number, message: string) =>
          `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: value, total: 2, message } })}\n\n`;
        const result = JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } });
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end(`${progress(0, 'a')}${progress(1, 'b')}${progress(2, 'c')}data: ${result}\n\n`);
      }),
      era,
    );
    const { before, message } = await agent.request('tools/call', {
      name: 't',
      _meta: { progressToken: 'mine' },
    });
    expect(before.map(({ method, params }) => [method, params])).toEqual(
      ['a', 'b', 'c'].map((text, progress) => [
        'notifications/progress',
        { progressToken: 'mine', progress, total: 2, message: text },
      ]),
    );
    expect(message).toHaveProperty('result');
  });

  test('B21: log messages arrive from the level the caller named', async () => {
    const { agent } = await start(
      {
        capabilities: { logging: {} },
        results: { 'logging/setLevel': () => ({}) },
        ...answers('tools/call', (id, response) => {
          const log = (level: string) =>
            `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level, logger: 'l', data: { a: [level] } } })}\n\n`;
          const result = JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } });
          response
            .writeHead(200, { 'content-type': 'text/event-stream' })
            .end(`${log('debug')}${log('warning')}data: ${result}\n\n`);
        }),
      },
      era,
    );
    if (era === 'legacy') await agent.request('logging/setLevel', { level: 'info' });
    const meta = era === 'modern' ? { _meta: { 'io.modelcontextprotocol/logLevel': 'info' } } : {};
    const { before } = await agent.request('tools/call', { name: 't', ...meta });
    expect(before.map(({ params }) => params)).toEqual([
      { level: 'warning', logger: 'l', data: { a: ['warning'] } },
    ]);
  });

  test('B6: what else progress and log messages say arrives, apart from what belongs to the hop', async () => {
    const said = { own: [1], _meta: { 'vendor.example/a': { b: 1 }, 'io.modelcontextprotocol/x': 1 } };
    const kept = { own: [1], _meta: { 'vendor.example/a': { b: 1 } } };
    const { agent } = await start(
      {
        capabilities: { logging: {} },
        results: { 'logging/setLevel': () => ({}) },
        ...answers('tools/call', (id, response, { rpc }) => {
          const { progressToken } = (rpc.params?.['_meta'] ?? {}) as { progressToken?: unknown };
          const events = [
            { method: 'notifications/progress', params: { progressToken, progress: 1, ...said } },
            { method: 'notifications/progress', params: { progressToken, progress: 2, message: 'b' } },
            { method: 'notifications/message', params: { level: 'error', data: null, ...said } },
            { id, result: { content: [] } },
          ].map((event) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...event })}\n\n`);
          response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events.join(''));
        }),
      },
      era,
    );
    if (era === 'legacy') await agent.request('logging/setLevel', { level: 'info' });
    const level = era === 'modern' && { 'io.modelcontextprotocol/logLevel': 'info' };
    const { before } = await agent.request('tools/call', {
      name: 't',
      _meta: { progressToken: 0, ...level },
    });
    expect(before.map(({ params }) => params)).toEqual([
      { progressToken: 0, progress: 1, ...kept },
      { progressToken: 0, progress: 2, message: 'b' },
      { level: 'error', data: null, ...kept },
    ]);
  });

  test('keys of vendors and of traces in _meta reach the upstream, those of the hop do not', async () => {
    const { upstream, agent } = await start({}, era);
    const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await agent.request('tools/call', {
      name: 't',
      _meta: { 'vendor.example/a': { b: 1 }, traceparent: trace },
    });
    const meta = upstream.seen.find(({ rpc }) => rpc.method === 'tools/call')?.rpc.params?.['_meta'];
    expect(meta).toMatchObject({ 'vendor.example/a': { b: 1 }, traceparent: trace });
    expect(JSON.stringify(meta)).not.toContain('io.modelcontextprotocol/');
  });
});

test.each(ERAS)('J-12: digits stay as they were written, both ways, %s client', async (era) => {
  const HUGE = '{"exact":9007199254740993,"wide":123456789012345678901234567890}';
  const tools = '{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}';
  const bodies: string[] = [];
  const upstream = keep(
    await serve(({ body }, response) => {
      const { id, method } = (body === '' ? {} : JSON.parse(body)) as { id?: number; method?: string };
      const results: Readonly<Record<string, string>> = {
        initialize:
          '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"n","version":"1"}}',
        'tools/list': tools,
        'tools/call': `{"content":[],"structuredContent":${HUGE}}`,
      };
      if (method === 'tools/call') bodies.push(body);
      const result = results[method ?? ''];
      if (id === undefined) response.writeHead(method === undefined ? 405 : 202).end();
      else if (result === undefined) response.writeHead(400).end();
      else
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
    }),
  );
  const hub = keep(await startTestHub({ config: { connectors: { up: { url: upstream.url.href } } } }));
  await waitForSync(hub, 'up');
  const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era });
  const answer = await fetch(`${hub.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${hub.localKey}`,
      ...(era === 'legacy'
        ? { 'mcp-session-id': agent.session ?? '' }
        : { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'up__t' }),
    },
    body: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"up__t","arguments":${HUGE}${
      era === 'legacy'
        ? '}}'
        : ',"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}'
    }`,
  });
  expect(bodies[0]).toContain(`"arguments":${HUGE}`);
  expect(await answer.text()).toContain(`"structuredContent":${HUGE}`);
});
