import { describe, expect, test } from 'vitest';
import { until } from '../support/http/until.js';
import { Gate, Harness, initialize, request } from '../support/server/harness.js';
import { LiveServer } from '../support/server/live-server.js';

describe('close', () => {
  test('calls in flight are answered, new requests are refused', async () => {
    const gate = new Gate();
    const harness = new Harness({
      call: async () => {
        await gate.passed;
        return { content: [] };
      },
    });
    const session = await harness.session();
    const standing = await session.get();
    await standing.next();
    const running = [
      session.request('tools/call', { name: 'echo' }),
      harness.modern('tools/call', { name: 'echo' }),
    ];
    await session.request('ping');
    const closing = harness.server.close();
    const refused = await harness.modern('tools/list');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect((await harness.post(initialize())).status).toBe(503);
    expect((await session.get()).status).toBe(503);
    gate.open();
    for (const answer of await Promise.all(running)) expect(answer.body.result.content).toEqual([]);
    await closing;
    expect(await standing.next()).toBeUndefined();
    await harness.server.close();
  });

  test('a client can still answer what it was asked', async () => {
    const harness = new Harness({
      call: async (r) => ({
        content: [],
        seen: (await r.askClient({ a: { method: 'roots/list' } })) as never,
      }),
    });
    const session = await harness.session({ capabilities: { roots: {} } });
    const reader = await session.call();
    const asked = await reader.message();
    const closing = harness.server.close();
    expect((await session.respond(asked.id, { roots: [] })).status).toBe(202);
    expect((await reader.message()).result.seen).toEqual({ a: { roots: [] } });
    await closing;
  });

  test('who does not finish in time is stopped, and answered', async () => {
    const aborted: string[] = [];
    const harness = new Harness({
      call: async (r) => {
        r.signal.addEventListener('abort', () => aborted.push('a'));
        await new Gate().passed;
        return { content: [] };
      },
    });
    const session = await harness.session();
    const running = [
      session.request('tools/call', { name: 'echo' }),
      harness.modern('tools/call', { name: 'echo' }),
    ];
    await session.request('ping');
    await harness.server.close(20);
    for (const answer of await Promise.all(running))
      expect(answer.body.error).toEqual({ code: -32603, message: 'The server is shutting down' });
    expect(aborted).toHaveLength(2);
  });

  test('nothing keeps the process alive', async () => {
    const before = resources();
    let begun = false;
    const live = await LiveServer.open({
      call: async () => {
        begun = true;
        await new Gate().passed;
        return { content: [] };
      },
    });
    const init = await fetch(live.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(initialize()),
    });
    const headers = {
      'mcp-session-id': init.headers.get('mcp-session-id') ?? '',
      'content-type': 'application/json',
    };
    await init.text();
    const stream = await fetch(live.url, { headers: { ...headers, accept: 'text/event-stream' } });
    const call = fetch(live.url, {
      method: 'POST',
      headers,
      body: JSON.stringify(request(1, 'tools/call', { name: 'x' })),
    });
    await until(() => begun, 'the call runs');
    await live.mcp.close(10);
    expect(await (await call).json()).toMatchObject({ error: { code: -32603 } });
    await stream.text();
    await live.close();
    await until(() => resources() <= before, 'no socket or timer is left');
  });
});

/** What would keep this process alive, apart from the test runner's own. */
function resources(): number {
  return process.getActiveResourcesInfo().filter((each) => each === 'TCPServerWrap' || each === 'Timeout')
    .length;
}
