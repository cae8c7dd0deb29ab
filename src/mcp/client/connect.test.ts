import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test, vi } from 'vitest';
import { listen } from '../../../test/support/interop/served.js';
import { failure, info, openClient } from '../../../test/support/client/open-client.js';
import {
  legacyScript,
  modernScript,
  Refusal,
  ScriptedTransport,
  SILENCE,
} from '../../../test/support/client/scripted-transport.js';
import { ManualClock, settle } from '../../../test/support/client/manual-clock.js';
import { TransportError } from '../transports/index.js';
import { ClientError, connect, createMemoryVerdicts } from './index.js';

describe('legacy handshake', () => {
  test('C5, C6, C7: initialize, then initialized, then the server stream', async () => {
    const { client, transports } = await openClient('http', [legacyScript({ tools: {} })], { era: 'legacy' });
    const [wire] = transports;
    expect(wire!.methods).toEqual(['initialize', 'notifications/initialized']);
    expect(wire!.sent[0]!.params).toEqual({
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: info,
    });
    expect(wire!.sent[0]!.headers).toEqual({});
    expect(wire!.sent[1]!.message).toEqual({
      kind: 'notification',
      method: 'notifications/initialized',
      params: undefined,
    });
    expect(wire!.serverStreams).toBe(1);
    expect(wire!.revision).toBe('2025-11-25');
    expect(client.server).toEqual({
      era: 'legacy',
      revision: '2025-11-25',
      info: { name: 'scripted', version: '1' },
      capabilities: { tools: {} },
    });
  });

  test.each([
    ['a server that may ask is called once it has where to ask', { sampling: {} }, false],
    ['one that may not ask is called at once', {}, true],
  ])('C7: %s', async (_name, capabilities, atOnce) => {
    const wire = new ScriptedTransport('http', legacyScript({ tools: {} }));
    const open = wire.holdServerStream();
    let connected = false;
    const client = connect({ info, era: 'legacy', transport: wire, capabilities }).finally(() => {
      connected = true;
    });
    await vi.waitFor(() => expect(wire.serverStreams).toBe(1));
    await settle();
    expect(connected).toBe(atOnce);
    open();
    await (await client).close();
  });

  test('C7: a server that neither opens its stream nor refuses it is called after half a second', async () => {
    const clock = new ManualClock();
    const wire = new ScriptedTransport('http', legacyScript({ tools: {} }));
    wire.holdServerStream();
    const connecting = connect({ info, era: 'legacy', transport: wire, capabilities: { roots: {} }, clock });
    await vi.waitFor(() => expect(wire.serverStreams).toBe(1));
    await settle();
    await clock.advance(500);
    const client = await connecting;
    expect(client.server.era).toBe('legacy');
    await client.close();
  });

  test('C7: what never opens its stream is waited for once, what was only slow each time', async () => {
    const standingStream = { isLate: false };
    const begin = async (): Promise<{ open: () => void; waits: boolean }> => {
      const clock = new ManualClock();
      const transport = new ScriptedTransport('http', legacyScript({ tools: {} }));
      const open = transport.holdServerStream();
      let waits = true;
      const given = { info, era: 'legacy', transport, capabilities: { roots: {} }, clock } as const;
      const connecting = connect({ ...given, standingStream }).finally(() => (waits = false));
      await vi.waitFor(() => expect(transport.serverStreams).toBe(1));
      await settle();
      const found = waits;
      await clock.advance(500);
      await (await connecting).close();
      return { open, waits: found };
    };
    const first = await begin();
    expect(first.waits).toBe(true);
    expect((await begin()).waits).toBe(false);
    first.open();
    await settle();
    expect((await begin()).waits).toBe(true);
  });

  test('C5: an older version of ours is accepted, one we do not speak is not', async () => {
    const older = legacyScript(
      {},
      { initialize: { protocolVersion: '2024-11-05', capabilities: {}, serverInfo: info } },
    );
    expect((await openClient('http', [older], { era: 'legacy' })).client.server.revision).toBe('2024-11-05');
    const newer = new ScriptedTransport(
      'http',
      legacyScript({}, { initialize: { protocolVersion: '2031-01-01', capabilities: {} } }),
    );
    const error = await failure(connect({ info, era: 'legacy', transport: newer }));
    expect(error).toBeInstanceOf(ClientError);
    expect(error).toMatchObject({ code: 'incompatible_version', supported: ['2031-01-01'] });
    expect(newer.closes).toBe(1);
    expect(newer.methods).toEqual(['initialize']);
  });

  test('C1: a pinned revision is offered and must be answered', async () => {
    const { transports } = await openClient('http', [legacyScript()], { era: '2025-06-18' });
    expect(transports[0]!.sent[0]!.params['protocolVersion']).toBe('2025-06-18');
    const other = new ScriptedTransport(
      'http',
      legacyScript({}, { initialize: { protocolVersion: '2025-03-26', capabilities: {} } }),
    );
    expect(await failure(connect({ info, era: '2025-06-18', transport: other }))).toMatchObject({
      code: 'incompatible_version',
    });
  });

  test.each([[null], ['text'], [[]], [{ capabilities: {} }], [{ protocolVersion: 7 }]])(
    'an initialize result of %j ends the connection',
    async (result) => {
      const wire = new ScriptedTransport('http', legacyScript({}, { initialize: result }));
      expect(await failure(connect({ info, era: 'legacy', transport: wire }))).toBeInstanceOf(ClientError);
      expect(wire.closes).toBe(1);
    },
  );

  test('C21: a handshake that takes too long is given up without a cancellation', async () => {
    const clock = new ManualClock();
    const wire = new ScriptedTransport('stdio', { initialize: SILENCE });
    const waiting = failure(connect({ info, era: 'legacy', transport: wire, clock }));
    await clock.advance(30_000);
    expect(await waiting).toMatchObject({ code: 'timeout' });
    expect(wire.methods).toEqual(['initialize']);
    expect(wire.closes).toBe(1);
  });

  test('an aborted handshake ends at once', async () => {
    const wire = new ScriptedTransport('stdio', { initialize: SILENCE });
    const abort = new AbortController();
    const waiting = failure(connect({ info, era: 'legacy', transport: wire, signal: abort.signal }));
    await settle();
    abort.abort();
    expect(await waiting).toMatchObject({ code: 'aborted' });
    expect(wire.closes).toBe(1);
  });
});

describe('options that make no sense', () => {
  test('no address at all', async () => {
    await expect(connect({ info } as never)).rejects.toThrow('connect needs a url, a command or a transport');
  });

  test.each(['auto', 'legacy', 'modern'] as const)(
    'what has no JSON form leaves nothing open: %s',
    async (era) => {
      const wire = new ScriptedTransport('stdio', {});
      const error = await failure(connect({ info: { ...info, version: 1n as never }, era, transport: wire }));
      expect(error).toBeInstanceOf(TypeError);
      expect(wire.closes).toBe(1);
    },
  );
});

describe('verdicts', () => {
  test('C1: a verdict is stored after success and used next time', async () => {
    const verdicts = createMemoryVerdicts();
    const clock = new ManualClock();
    const options = { verdicts, verdictKey: 'server', clock };
    await openClient('stdio', [legacyScript()], options);
    expect(await verdicts.get('server')).toEqual({ era: 'legacy', at: clock.epoch() });
    const { transports } = await openClient('stdio', [legacyScript()], options);
    expect(transports).toHaveLength(1);
    expect(transports[0]!.methods[0]).toBe('initialize');
  });

  test('C1: a legacy verdict expires after a day and is not renewed by use', async () => {
    const verdicts = createMemoryVerdicts();
    const clock = new ManualClock();
    const options = { verdicts, verdictKey: 'server', clock };
    await openClient('http', [legacyScript()], options);
    await clock.advance(23 * 3_600_000);
    await openClient('http', [legacyScript()], options);
    await clock.advance(2 * 3_600_000);
    const { client, transports } = await openClient('http', [modernScript()], options);
    expect(transports[0]!.methods).toEqual(['server/discover']);
    expect(client.server.era).toBe('modern');
    expect(await verdicts.get('server')).toMatchObject({ era: 'modern' });
  });

  test('C1: a legacy verdict that fails is replaced by a probe', async () => {
    const verdicts = createMemoryVerdicts();
    await verdicts.set('server', { era: 'legacy', at: Date.now() });
    const { client } = await openClient(
      'http',
      [modernScript({}, { initialize: new Refusal(404, -32601) })],
      {
        verdicts,
        verdictKey: 'server',
      },
    );
    expect(client.server.era).toBe('modern');
    expect(await verdicts.get('server')).toMatchObject({ era: 'modern' });
  });

  test('C1: a modern verdict that fails is replaced, one in an outage is kept', async () => {
    const verdicts = createMemoryVerdicts();
    await verdicts.set('server', { era: 'modern', at: 0 });
    const options = { verdicts, verdictKey: 'server' };
    const down = new TransportError('HTTP_STATUS', 'no', { status: 502 });
    await failure(openClient('http', [{ 'server/discover': down }], options));
    expect(await verdicts.get('server')).toMatchObject({ era: 'modern' });
    await failure(
      openClient(
        'http',
        [{ 'server/discover': new Refusal(404, -32601), initialize: new Refusal(404, -32601) }],
        options,
      ),
    );
    expect(await verdicts.get('server')).toBeUndefined();
    await openClient('http', [legacyScript()], options);
    expect(await verdicts.get('server')).toMatchObject({ era: 'legacy' });
  });

  test('a store that fails costs a probe only', async () => {
    const broken = () => Promise.reject(new Error('disk'));
    const verdicts = { get: broken, set: broken, delete: broken };
    const { client } = await openClient('http', [modernScript()], { verdicts, verdictKey: 'server' });
    expect(client.server.era).toBe('modern');
  });

  test('memory keeps the most recent', async () => {
    const verdicts = createMemoryVerdicts(2);
    for (const key of ['a', 'b', 'c']) await verdicts.set(key, { era: 'modern', at: 1 });
    expect(
      [await verdicts.get('a'), await verdicts.get('b'), await verdicts.get('c')].map(
        (verdict) => verdict?.era,
      ),
    ).toEqual([undefined, 'modern', 'modern']);
  });
});

describe('addresses', () => {
  /** A legacy server that notes the headers it was sent. */
  async function serveNoting(seen: IncomingHttpHeaders[]) {
    return await listen((request, response) => {
      seen.push(request.headers);
      void text(request).then((body) => {
        const { id, method } = JSON.parse(body || '{}') as { id?: number; method?: string };
        if (method !== 'initialize') return response.writeHead(id === undefined ? 202 : 404).end();
        const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: info };
        response.writeHead(200, { 'content-type': 'application/json' });
        return response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      });
    });
  }

  test('a url takes fixed headers or a provider, and names the server without its query', async () => {
    const seen: IncomingHttpHeaders[] = [];
    const verdicts = createMemoryVerdicts();
    await using served = await serveNoting(seen);
    const url = `${served.url}?key=secret`;
    await using _fixed = await connect({ info, url, headers: { 'x-key': 'fixed' }, verdicts });
    expect(await verdicts.get(served.url)).toMatchObject({ era: 'legacy' });
    let asked = 0;
    const headers = (): Record<string, string> => ({ 'x-key': `asked ${++asked}` });
    await using _provided = await connect({ info, url: new URL(url), headers, verdicts });
    expect(seen.map((sent) => sent['x-key'])).toEqual(
      expect.arrayContaining(['fixed', 'asked 1', 'asked 2']),
    );
  });

  test('a command that cannot be run is reported as such', async () => {
    const error = await failure(connect({ info, command: '/nonexistent/program' }));
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ code: 'STDIO_SPAWN_FAILED', mayHaveArrived: false });
  });
});
