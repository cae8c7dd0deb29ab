import { describe, expect, test } from 'vitest';
import { failure, info, openClient } from '../../../test/support/client/open-client.js';
import {
  legacyScript,
  metaOf,
  modernScript,
  Refusal,
  ScriptedTransport,
  SILENCE,
  type Script,
} from '../../../test/support/client/scripted-transport.js';
import { ManualClock, settle } from '../../../test/support/client/manual-clock.js';
import { ProtocolError } from '../jsonrpc/index.js';
import { TransportError } from '../transports/index.js';
import { connect, createMemoryVerdicts } from './index.js';

describe('era detection over HTTP', () => {
  test('C1: a discover result makes it modern, without a handshake', async () => {
    const { client, transports } = await openClient('http', [modernScript({ tools: {} })]);
    const [wire] = transports;
    expect(wire!.methods).toEqual(['server/discover']);
    const [probe] = wire!.sent;
    expect(probe!.headers).toEqual({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' });
    expect(metaOf(probe!)).toEqual({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': info,
    });
    expect(client.server).toMatchObject({
      era: 'modern',
      revision: '2026-07-28',
      info: { name: 'scripted', version: '2' },
      ttlMs: 60_000,
    });
    expect(wire!.serverStreams).toBe(0);
  });

  const legacyAnswers: readonly [string, Script[string]][] = [
    ['400 with an error of its own', new Refusal(400, -32000, 'Bad Request: Server not initialized')],
    ['404 with an unknown method', new Refusal(404, -32601)],
    ['200 with any other error', new ProtocolError(-32601, 'Method not found')],
    ['200 with a header mismatch', new ProtocolError(-32020, 'in-band')],
    ['a bare 405', new TransportError('HTTP_STATUS', 'no', { status: 405 })],
    ['a bare 404', new TransportError('HTTP_STATUS', 'no', { status: 404 })],
    ['406', new TransportError('HTTP_NOT_ACCEPTABLE', 'no', { status: 406 })],
    ['an empty answer', new TransportError('HTTP_EMPTY_BODY', 'no', { status: 202 })],
    ['a result without versions', { ok: true }],
    ['versions of the legacy era only', { supportedVersions: ['2025-11-25'], capabilities: {} }],
    [
      '-32022 with legacy versions only',
      new Refusal(400, -32022, 'no', { supported: ['2025-06-18'], requested: '2026-07-28' }),
    ],
  ];
  test.each(legacyAnswers)('C1: %s means legacy', async (_name, answer) => {
    const { client, transports } = await openClient('http', [
      legacyScript({}, { 'server/discover': answer! }),
    ]);
    expect(client.server.era).toBe('legacy');
    expect(transports).toHaveLength(1);
    expect(transports[0]!.methods).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
    expect(transports[0]!.of('initialize')[0]!.headers).toEqual({});
  });

  const noEvidence: readonly [string, Script[string]][] = [
    ['401', new TransportError('HTTP_UNAUTHORIZED', 'no', { status: 401 })],
    ['403', new TransportError('HTTP_FORBIDDEN', 'no', { status: 403 })],
    ['429', new TransportError('HTTP_STATUS', 'no', { status: 429 })],
    ['503', new TransportError('HTTP_STATUS', 'no', { status: 503 })],
    ['500 with a JSON-RPC error', new Refusal(500, -32603)],
    ['a refused connection', new TransportError('CONNECT_FAILED', 'no', { mayHaveArrived: false })],
    ['a time limit of the transport', new TransportError('TIMEOUT_FIRST_BYTE', 'no')],
  ];
  test.each(noEvidence)('C73: %s is no evidence, reported, not remembered', async (_name, answer) => {
    const verdicts = createMemoryVerdicts();
    const wire = new ScriptedTransport('http', legacyScript({}, { 'server/discover': answer! }));
    const error = await failure(connect({ info, transport: wire, verdicts, verdictKey: 'k' }));
    expect(error).toBeInstanceOf(Error);
    expect(wire.methods).toEqual(['server/discover']);
    expect(wire.closes).toBe(1);
    expect(await verdicts.get('k')).toBeUndefined();
  });

  test('C73: silence over HTTP is an outage, not legacy', async () => {
    const clock = new ManualClock();
    const wire = new ScriptedTransport('http', legacyScript({}, { 'server/discover': SILENCE }));
    const waiting = failure(connect({ info, transport: wire, clock }));
    await clock.advance(30_000);
    expect(await waiting).toMatchObject({ code: 'timeout' });
    expect(wire.methods).toEqual(['server/discover']);
  });

  test('C3: -32022 is answered by one more try with a version the server names, even the same one', async () => {
    let asked = 0;
    const discover = modernScript()['server/discover'] as never;
    const script = modernScript(
      {},
      {
        'server/discover': () =>
          asked++ === 0
            ? new Refusal(400, -32022, 'no', { supported: ['2026-07-28'], requested: '2026-07-28' })
            : discover,
      },
    );
    const { client, transports } = await openClient('http', [script]);
    expect(client.server.era).toBe('modern');
    expect(transports[0]!.methods).toEqual(['server/discover', 'server/discover']);
    expect(transports[0]!.sent[0]!.id).not.toBe(transports[0]!.sent[1]!.id);
  });

  test('C2, C3: a modern server that goes on refusing is never sent initialize', async () => {
    for (const code of [-32022, -32020, -32021]) {
      const data = { supported: ['2026-07-28'], requested: '2026-07-28' };
      const wire = new ScriptedTransport(
        'http',
        legacyScript({}, { 'server/discover': new Refusal(400, code, 'no', data) }),
      );
      expect(await failure(connect({ info, transport: wire }))).toMatchObject({
        name: 'ProtocolError',
        code,
      });
      expect(wire.methods).toEqual(['server/discover', 'server/discover']);
    }
  });

  test('C3: no version in common', async () => {
    const wire = new ScriptedTransport('http', {
      'server/discover': { supportedVersions: ['2027-05-01'], capabilities: {} },
    });
    expect(await failure(connect({ info, transport: wire }))).toMatchObject({
      code: 'incompatible_version',
      supported: ['2027-05-01'],
    });
  });

  test('a modern revision alone refuses a legacy server', async () => {
    for (const era of ['modern', '2026-07-28'] as const) {
      const wire = new ScriptedTransport('http', legacyScript());
      expect(await failure(connect({ info, era, transport: wire }))).toMatchObject({
        code: 'incompatible_version',
      });
      expect(wire.methods).toEqual(['server/discover']);
    }
  });

  test('C8: an endpoint that does not know initialize is tried as HTTP+SSE', async () => {
    const gone = new TransportError('HTTP_STATUS', 'no', { status: 405 });
    const current = new ScriptedTransport('http', { 'server/discover': gone, initialize: gone });
    const old = new ScriptedTransport('stdio', legacyScript());
    await using _client = await connect({ info, transport: () => current, fallback: () => old });
    expect(old.methods).toEqual(['initialize', 'notifications/initialized']);
    expect(current.closes).toBe(1);
    const alsoGone = new ScriptedTransport('stdio', {});
    alsoGone.startError = new TransportError('HTTP_STATUS', 'no stream', { status: 404 });
    const again = new ScriptedTransport('http', { 'server/discover': gone, initialize: gone });
    expect(await failure(connect({ info, transport: () => again, fallback: () => alsoGone }))).toBe(gone);
  });

  test('C8: an outage of initialize is no reason for the fallback', async () => {
    const down = new TransportError('HTTP_STATUS', 'no', { status: 503 });
    const current = new ScriptedTransport('http', {
      'server/discover': new Refusal(404, -32601),
      initialize: down,
    });
    let used = false;
    const fallback = (): ScriptedTransport => {
      used = true;
      return new ScriptedTransport('stdio', legacyScript());
    };
    expect(await failure(connect({ info, transport: () => current, fallback }))).toBe(down);
    expect(used).toBe(false);
  });
});

describe('era detection of a process', () => {
  test('a modern process is used as it is', async () => {
    const { client, transports } = await openClient('stdio', [modernScript()]);
    expect(client.server.era).toBe('modern');
    expect(transports).toHaveLength(1);
    expect(transports[0]!.sent[0]!.headers).toEqual({});
  });

  test('C9: a process that does not know the probe is replaced by a fresh one', async () => {
    const { client, transports } = await openClient('stdio', [legacyScript()]);
    expect(client.server.era).toBe('legacy');
    expect(transports.map((wire) => wire.methods)).toEqual([
      ['server/discover'],
      ['initialize', 'notifications/initialized'],
    ]);
    expect(transports[0]!.closes).toBe(1);
  });

  test('C9: silence for the time of the probe means legacy', async () => {
    const clock = new ManualClock();
    const silent = legacyScript({}, { 'server/discover': SILENCE });
    const waiting = openClient('stdio', [silent], { clock, timeouts: { probeMs: 700 } });
    await clock.advance(699);
    await clock.advance(2);
    const { client, transports } = await waiting;
    expect(client.server.era).toBe('legacy');
    // Nothing may be said to a process that might not have been initialised.
    expect(transports[0]!.methods).toEqual(['server/discover']);
  });

  test('C9: a process that ends on the probe is legacy and started again', async () => {
    const dies: Script = { 'server/discover': (_sent, wire) => (wire.crash(), SILENCE) };
    const { client, transports } = await openClient('stdio', [dies, legacyScript()]);
    expect(client.server.era).toBe('legacy');
    expect(transports).toHaveLength(2);
  });

  test('an abort during the probe says nothing of the server', async () => {
    const abort = new AbortController();
    let made = 0;
    const transport = (): ScriptedTransport => {
      made++;
      return new ScriptedTransport('stdio', { 'server/discover': SILENCE });
    };
    const waiting = failure(connect({ info, transport, signal: abort.signal }));
    await settle();
    abort.abort();
    expect(await waiting).toMatchObject({ code: 'aborted' });
    expect(made).toBe(1);
  });

  test('without a factory the only process is used while it lives', async () => {
    const wire = new ScriptedTransport('stdio', legacyScript());
    await using _client = await connect({ info, transport: wire });
    expect(wire.methods).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
    const dies = new ScriptedTransport('stdio', {
      'server/discover': (_sent, self) => (self.crash(), SILENCE),
    });
    expect(await failure(connect({ info, transport: dies }))).toMatchObject({ code: 'STDIO_EXITED' });
  });

  test('a modern process that starts slowly is recognised after all', async () => {
    const clock = new ManualClock();
    const slow: Script = { 'server/discover': SILENCE };
    const waiting = openClient('stdio', [slow, {}, modernScript()], { clock });
    await clock.advance(3001);
    const { client, transports } = await waiting;
    expect(client.server.era).toBe('modern');
    expect(transports).toHaveLength(3);
  });
});
