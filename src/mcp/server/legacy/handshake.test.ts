import { describe, expect, test } from 'vitest';
import { Harness, initialize, MODERN, NEWEST, request } from '../../../../test/support/server/harness.js';

describe('S64: initialize', () => {
  test.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2024-11-05'],
    [MODERN, NEWEST],
    ['2099-01-01', NEWEST],
    ['garbage', NEWEST],
  ])('M-7: asked for %s, offered %s', async (asked, offered) => {
    const answer = await new Harness().post(initialize(asked));
    expect(answer.body).toEqual({
      jsonrpc: '2.0',
      id: 'init',
      result: {
        protocolVersion: offered,
        capabilities: expect.objectContaining({ tools: { listChanged: true } }),
        serverInfo: { name: 'harness', version: '1.0.0' },
        instructions: 'Ask politely.',
      },
    });
  });

  test.each([
    ['null for what it cannot do', { sampling: null, roots: null, elicitation: {} }],
    ['members nobody knows', { elicitation: {}, zork: 1, other: [true] }],
  ])('S64: a client that declares %s', async (_name, capabilities) => {
    const answer = await new Harness().post(initialize(NEWEST, capabilities));
    expect(answer.body.result.protocolVersion).toBe(NEWEST);
  });

  test('M-7: nothing below the oldest served version', async () => {
    const answer = await new Harness({ oldestRevision: '2025-06-18' }).post(initialize('2025-03-26'));
    expect(answer.body.result.protocolVersion).toBe(NEWEST);
  });

  test('S78: without sessions nothing is promised that would need one', async () => {
    const stateless = new Harness({ legacy: 'stateless' });
    const answer = await stateless.post(initialize(), { 'mcp-session-id': 'any' });
    expect([answer.status, answer.headers.get('mcp-session-id')]).toEqual([200, null]);
    const { capabilities } = answer.body.result;
    expect(capabilities).toMatchObject({ tools: {}, prompts: {}, resources: {} });
    expect(JSON.stringify(capabilities)).not.toMatch(/listChanged|subscribe|logging/);
  });

  test('S65: the id is set on that response only, printable, and of 256 bits', async () => {
    const harness = new Harness();
    const answer = await harness.post(initialize());
    const id = answer.headers.get('mcp-session-id') ?? '';
    expect(id).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const session = await harness.session();
    expect((await session.request('ping')).headers.get('mcp-session-id')).toBeNull();
    expect(session.id).not.toBe(id);
  });

  test('the version header may be there already', async () => {
    const answer = await new Harness().post(initialize(), {
      'mcp-protocol-version': NEWEST,
      'mcp-method': 'initialize',
    });
    expect(answer.status).toBe(200);
  });

  test('M-6 S64: twice', async () => {
    const session = await new Harness().session();
    const answer = await session.post(initialize());
    expect([answer.status, answer.body.error.code, answer.body.id]).toEqual([400, -32600, 'init']);
    expect((await session.request('ping')).status).toBe(200);
  });

  test('M-5: an id of the client is never adopted', async () => {
    const harness = new Harness();
    const answer = await harness.post(initialize(), { 'mcp-session-id': 'my-own-id' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('mcp-session-id')).not.toBe('my-own-id');
    expect((await harness.post(request(1, 'ping'), { 'mcp-session-id': 'my-own-id' })).status).toBe(404);
  });

  test.each([
    ['no params', undefined],
    ['no version', { capabilities: {} }],
    ['a version that is none', { protocolVersion: 1 }],
    ['capabilities that are none', { protocolVersion: NEWEST, capabilities: [] }],
    ['a capability that is none', { protocolVersion: NEWEST, capabilities: { sampling: true } }],
    ['client info that is none', { protocolVersion: NEWEST, capabilities: {}, clientInfo: { name: 1 } }],
    [
      'a client that talks too much',
      { protocolVersion: NEWEST, capabilities: { experimental: { x: 'y'.repeat(20_000) } } },
    ],
  ])('M-6: %s', async (_name, params) => {
    const answer = await new Harness().post(request(0, 'initialize', params));
    expect([answer.status, answer.body.error.code, answer.body.id]).toEqual([200, -32602, 0]);
    expect(answer.headers.get('mcp-session-id')).toBeNull();
  });

  test('M-6: as a notification', async () => {
    const answer = await new Harness().post({ jsonrpc: '2.0', method: 'initialize', params: {} });
    expect([answer.status, answer.headers.get('mcp-session-id')]).toEqual([400, null]);
  });

  test('answered as events where only those are accepted', async () => {
    const answer = await new Harness().post(initialize(), { accept: 'text/event-stream' });
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    expect(answer.headers.get('mcp-session-id')).not.toBeNull();
    expect(answer.text).toContain('"protocolVersion"');
  });
});
