import { describe, expect, test } from 'vitest';
import { settle } from '../../../test/support/client/manual-clock.js';
import { failure, openClient, openLegacy, openModern } from '../../../test/support/client/open-client.js';
import {
  legacyScript,
  modernScript,
  Refusal,
  ScriptedTransport,
  SILENCE,
  type Answer,
  type Script,
} from '../../../test/support/client/scripted-transport.js';
import { ProtocolError } from '../jsonrpc/index.js';
import { TransportError } from '../transports/index.js';
import { connect } from './index.js';

const OK = { content: [] };

function sessionGone(): TransportError {
  return new TransportError('MCP_SESSION_NOT_FOUND', 'gone', { status: 404, mayHaveArrived: false });
}

/** Fails the first times, then answers. */
function after(times: number, fault: Answer, answer: Answer): () => Answer {
  let count = 0;
  return () => (count++ < times ? fault : answer);
}

/** Ends instead of answering. */
const crash = (_sent: unknown, wire: ScriptedTransport): Answer => (wire.crash(), SILENCE);

describe('a lost session', () => {
  test('C30, U-17: reads begin a new session and are repeated once', async () => {
    const { client, wire } = await openLegacy(
      {},
      { 'resources/read': after(1, sessionGone(), { contents: [] }) },
    );
    await client.readResource('x://1');
    expect(wire.methods.slice(2)).toEqual([
      'resources/read',
      'initialize',
      'notifications/initialized',
      'resources/read',
    ]);
    expect(new Set(wire.sent.filter(({ id }) => id !== undefined).map(({ id }) => id)).size).toBe(4);
    expect(wire.serverStreams).toBe(2);
  });

  test('C30, U-17: a call is reported, never repeated, and later calls use the new session', async () => {
    const { client, wire } = await openLegacy({}, { 'tools/call': after(1, sessionGone(), OK) });
    const error = await failure(client.callTool('a'));
    expect(error).toMatchObject({ name: 'ClientError', code: 'session_lost', mayHaveArrived: false });
    expect(await client.callTool('b')).toEqual(OK);
    expect(wire.methods.slice(2)).toEqual([
      'tools/call',
      'initialize',
      'notifications/initialized',
      'tools/call',
    ]);
    expect(wire.of('tools/call').map(({ params }) => params['name'])).toEqual(['a', 'b']);
  });

  test('C30: many calls that lose one session begin one new session', async () => {
    const { client, wire } = await openLegacy(
      {},
      {
        'tools/call': after(5, sessionGone(), OK),
        'resources/read': after(1, sessionGone(), { contents: [] }),
      },
    );
    const calls = Array.from({ length: 5 }, () => failure(client.callTool('a')));
    const read = client.readResource('x://1');
    for (const error of await Promise.all(calls)) expect(error).toMatchObject({ code: 'session_lost' });
    await read;
    expect(wire.of('initialize')).toHaveLength(2);
  });

  test('C30: a refusal that comes after the new session began does not begin another one', async () => {
    const { client, wire } = await openLegacy(
      {},
      {
        'tools/call': SILENCE,
        'resources/read': SILENCE,
        'prompts/get': after(1, sessionGone(), { messages: [] }),
      },
    );
    const call = failure(client.callTool('a'));
    const read = client.readResource('x://1');
    await client.getPrompt('p');
    expect(wire.of('initialize')).toHaveLength(2);
    for (const sent of [...wire.of('tools/call'), ...wire.of('resources/read')])
      wire.answer(sent.id!, sessionGone());
    expect(await call).toMatchObject({ code: 'session_lost' });
    await settle();
    wire.answer(wire.of('resources/read')[1]!.id!, { contents: [] });
    await read;
    expect(wire.of('initialize')).toHaveLength(2);
  });

  test('U-17: a read that loses the new session as well fails, and at most two sessions are begun in a minute', async () => {
    const { client, wire, clock } = await openLegacy({}, { 'resources/read': sessionGone() });
    for (let attempt = 0; attempt < 4; attempt++) {
      expect(await failure(client.readResource('x://1'))).toMatchObject({ code: 'session_lost' });
    }
    expect(wire.of('initialize')).toHaveLength(3);
    await clock.advance(60_001);
    await failure(client.readResource('x://1'));
    expect(wire.of('initialize')).toHaveLength(5);
  });

  test('C31: a 400 is believed to be about the session once', async () => {
    const refusals: readonly Answer[] = [
      new Refusal(400, -32000, 'Bad Request: No valid session ID provided'),
      new Refusal(400, -32600, 'Bad Request: No valid session ID provided'),
      new TransportError('HTTP_STATUS', 'no', { status: 400 }),
      new TransportError('HTTP_SESSION_REQUIRED', 'no', { status: 400 }),
    ];
    for (const refusal of refusals) {
      const { client, wire } = await openLegacy(
        {},
        { 'resources/read': after(1, refusal, { contents: [] }) },
      );
      await client.readResource('x://1');
      expect(wire.of('initialize')).toHaveLength(2);
    }
  });

  test('C31: after something has worked, a 400 is believed again', async () => {
    const refusal = new TransportError('HTTP_STATUS', 'no', { status: 400 });
    const answers: Answer[] = [refusal, OK, refusal, OK];
    const { client, wire } = await openLegacy({}, { 'tools/call': () => answers.shift()! });
    for (let round = 0; round < 2; round++) {
      expect(await failure(client.callTool('a'))).toBe(refusal);
      expect(await client.callTool('b')).toEqual(OK);
    }
    expect(wire.of('initialize')).toHaveLength(3);
  });

  test('C31: a 400 that stays one is reported as it came; in-band errors say nothing about sessions', async () => {
    const { client, wire } = await openLegacy(
      {},
      {
        'tools/call': new Refusal(400, -32000, 'no'),
        'resources/read': new ProtocolError(-32000, 'in-band'),
      },
    );
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await failure(client.callTool('a'))).toMatchObject({ name: 'ProtocolError', code: -32000 });
    }
    expect(await failure(client.readResource('x://1'))).toMatchObject({ code: -32000 });
    expect(wire.of('initialize')).toHaveLength(2);
    expect(wire.of('tools/call')).toHaveLength(3);
  });

  test('a new session that cannot be begun is reported to whoever waits for it', async () => {
    let handshakes = 0;
    const down = new TransportError('CONNECT_FAILED', 'down', { mayHaveArrived: false });
    const { client } = await openClient(
      'http',
      [
        {
          ...legacyScript(),
          initialize: (sent, wire) =>
            handshakes++ === 1
              ? down
              : (legacyScript()['initialize'] as (s: typeof sent, w: typeof wire) => Answer)(sent, wire),
          'resources/read': after(1, sessionGone(), { contents: [] }),
        },
      ],
      { era: 'legacy' },
    );
    expect(await failure(client.readResource('x://1'))).toBe(down);
    await client.readResource('x://1');
  });

  test('what the session knew is told again: level and subscriptions', async () => {
    const changes: string[] = [];
    const { client, wire } = await openLegacy(
      { logging: {}, tools: { listChanged: true }, resources: { subscribe: true } },
      {
        'logging/setLevel': {},
        'resources/subscribe': {},
        'tools/call': after(1, sessionGone(), OK),
      },
    );
    await client.setLogLevel('error');
    await client.subscribe({ toolsListChanged: true, resourceSubscriptions: ['x://1'] }, (change) =>
      changes.push(change.method),
    );
    await failure(client.callTool('a'));
    await settle();
    expect(wire.methods.slice(5)).toEqual([
      'initialize',
      'notifications/initialized',
      'logging/setLevel',
      'resources/subscribe',
    ]);
    expect(wire.of('logging/setLevel')[1]!.params).toEqual({ level: 'error' });
    // Nobody knows what happened in between.
    expect(changes).toEqual(['notifications/tools/list_changed', 'notifications/resources/updated']);
  });

  test('a session that was lost while nobody called is begun again for those who subscribed', async () => {
    const changes: string[] = [];
    const { client, wire } = await openLegacy({ tools: { listChanged: true } }, {});
    await client.subscribe({ toolsListChanged: true }, ({ method }) => changes.push(method));
    wire.loseSession();
    await settle();
    expect(wire.of('initialize')).toHaveLength(2);
    expect(wire.serverStreams).toBe(2);
    expect(changes).toEqual(['notifications/tools/list_changed']);
  });

  test('a modern 404 is no lost session', async () => {
    const { client, wire } = await openModern(
      {},
      { 'resources/read': new TransportError('HTTP_STATUS', 'no', { status: 404 }) },
    );
    expect(await failure(client.readResource('x://1'))).toMatchObject({ code: 'HTTP_STATUS' });
    expect(wire.of('initialize')).toHaveLength(0);
  });
});

describe('a lost process', () => {
  const SILENT: Script = legacyScript({}, { 'tools/call': SILENCE });
  const GOOD: Script = legacyScript({}, { 'tools/call': OK });

  test('P-2: all pending requests fail at once, the next one starts a new process, nothing is repeated', async () => {
    const { client, transports } = await openClient('stdio', [SILENT, GOOD], { era: 'legacy' });
    const calls = [failure(client.callTool('a')), failure(client.callTool('b'))];
    transports[0]!.crash();
    for (const error of await Promise.all(calls))
      expect(error).toMatchObject({ code: 'STDIO_EXITED', mayHaveArrived: true });
    expect(transports).toHaveLength(1);
    expect(await client.callTool('c')).toEqual(OK);
    expect(transports[1]!.methods).toEqual(['initialize', 'notifications/initialized', 'tools/call']);
    expect(transports[1]!.of('tools/call').map(({ params }) => params['name'])).toEqual(['c']);
  });

  test('a process that ends right after the handshake is noticed', async () => {
    const dying = legacyScript({}, { 'notifications/initialized': (_sent, wire) => (wire.crash(), SILENCE) });
    const { client, transports } = await openClient('stdio', [dying, GOOD], { era: 'legacy' });
    expect(await client.callTool('a')).toEqual(OK);
    expect(transports).toHaveLength(2);
  });

  test('requests that come meanwhile share one start', async () => {
    const { client, transports } = await openClient('stdio', [SILENT, GOOD], { era: 'legacy' });
    transports[0]!.crash();
    await Promise.all([client.callTool('a'), client.callTool('b'), client.callTool('c')]);
    expect(transports).toHaveLength(2);
  });

  test('P-1: a process that keeps dying is started after longer and longer pauses', async () => {
    const dies = legacyScript({}, { 'tools/call': (_sent, wire) => (wire.crash(), SILENCE) });
    const { client, transports, clock } = await openClient('stdio', [dies], { era: 'legacy' });
    await failure(client.callTool('a'));
    await failure(client.callTool('a'));
    for (const pause of [500, 1000, 2000]) {
      const count = transports.length;
      const call = failure(client.callTool('a'));
      await clock.advance(pause - 1);
      expect(transports).toHaveLength(count);
      expect(clock.keepingAlive).toBe(1);
      await clock.advance(1);
      expect(transports).toHaveLength(count + 1);
      expect(await call).toMatchObject({ code: 'STDIO_EXITED' });
    }
    // Time in which nobody asked counts as well.
    await clock.advance(4000);
    await failure(client.callTool('a'));
    expect(transports).toHaveLength(6);
  });

  test.each<[why: string, lost: number, next: Script]>([
    ['too early to start it again', 2, legacyScript({}, { 'tools/call': crash })],
    ['it dies in the handshake', 1, { initialize: crash }],
    ['it is silent in the handshake', 1, { initialize: SILENCE }],
  ])('U-3: a request that waits for a process in vain was not sent: %s', async (_why, lost, next) => {
    const scripts = [legacyScript({}, { 'tools/call': crash }), next];
    const timeouts = { requestMs: 400 };
    const { client, clock } = await openClient('stdio', scripts, { era: 'legacy', timeouts });
    for (let n = 0; n < lost; n++)
      expect(await failure(client.callTool('a'))).toMatchObject({ mayHaveArrived: true });
    const call = failure(client.callTool('b'));
    await clock.advance(400);
    expect(await call).toMatchObject({ mayHaveArrived: false });
  });

  test('a process that held for a while is started again at once', async () => {
    const { client, transports, clock } = await openClient('stdio', [GOOD], { era: 'legacy' });
    for (let life = 0; life < 3; life++) {
      await client.callTool('a');
      await clock.advance(60_000);
      transports.at(-1)!.crash();
    }
    await client.callTool('a');
    expect(transports).toHaveLength(4);
  });

  test('without a factory the loss is final', async () => {
    const only = new ScriptedTransport('stdio', GOOD);
    await using client = await connect({ info: { name: 't', version: '1' }, era: 'legacy', transport: only });
    only.crash();
    expect(await failure(client.callTool('a'))).toMatchObject({ code: 'STDIO_EXITED' });
  });

  test('C52: a modern process is asked again what it is, without a time limit for silence', async () => {
    const { client, transports } = await openClient('stdio', [modernScript({}, { 'tools/call': OK })]);
    transports[0]!.crash();
    await client.callTool('a');
    expect(transports[1]!.methods).toEqual(['server/discover', 'tools/call']);
  });

  test('an abort while the process is started again ends the wait of that caller only', async () => {
    const slow = legacyScript({}, { initialize: SILENCE, 'tools/call': SILENCE });
    const { client, transports } = await openClient('stdio', [GOOD, slow], { era: 'legacy' });
    transports[0]!.crash();
    const abort = new AbortController();
    const aborted = failure(client.callTool('a', {}, { signal: abort.signal }));
    const patient = client.callTool('b');
    await settle();
    abort.abort();
    expect(await aborted).toMatchObject({ code: 'aborted', mayHaveArrived: false });
    transports[1]!.answer(0, { protocolVersion: '2025-11-25', capabilities: {} });
    await settle();
    expect(transports[1]!.of('tools/call').map(({ params }) => params['name'])).toEqual(['b']);
    transports[1]!.answer(transports[1]!.of('tools/call')[0]!.id!, OK);
    await patient;
  });

  test('closing while the process is started again ends everything', async () => {
    const { client, transports } = await openClient(
      'stdio',
      [GOOD, legacyScript({}, { initialize: SILENCE })],
      { era: 'legacy' },
    );
    transports[0]!.crash();
    const call = failure(client.callTool('a'));
    await settle();
    await client.close();
    expect(await call).toMatchObject({ name: 'ClientError' });
    expect(transports[1]!.closes).toBeGreaterThan(0);
  });
});
