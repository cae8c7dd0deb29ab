import { describe, expect, test } from 'vitest';
import { settle } from '../../../test/support/client/manual-clock.js';
import { failure, openClient, openLegacy, openModern } from '../../../test/support/client/open-client.js';
import {
  legacyScript,
  Refusal,
  SILENCE,
  type Answer,
} from '../../../test/support/client/scripted-transport.js';
import { ProtocolError } from '../jsonrpc/index.js';
import { TransportError } from '../transports/index.js';

const OK = { content: [] };

function sessionGone(): TransportError {
  return new TransportError('MCP_SESSION_NOT_FOUND', 'gone', { status: 404, mayHaveArrived: false });
}

/** Fails the first times, then answers. */
function after(times: number, fault: Answer, answer: Answer): () => Answer {
  let count = 0;
  return () => (count++ < times ? fault : answer);
}

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
    // Nothing is asked outside of a session.
    expect(wire.of('resources/read')).toHaveLength(3);
    await clock.advance(60_001);
    await failure(client.readResource('x://1'));
    expect(wire.of('initialize')).toHaveLength(5);
  });

  test('C30: where two new sessions were lost as well, the first request after the minute begins one', async () => {
    const { client, wire, clock } = await openLegacy(
      {},
      { 'tools/call': after(3, sessionGone(), OK), 'resources/read': { contents: [] } },
    );
    for (let attempt = 0; attempt < 3; attempt++)
      expect(await failure(client.callTool('a'))).toMatchObject({ code: 'session_lost' });
    expect(await failure(client.readResource('x://1'))).toMatchObject({
      code: 'session_lost',
      mayHaveArrived: false,
    });
    await clock.advance(60_001);
    const before = wire.methods.length;
    expect(await client.callTool('b')).toEqual(OK);
    expect(wire.methods.slice(before)).toEqual(['initialize', 'notifications/initialized', 'tools/call']);
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
    const { client, transports } = await openClient(
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
    // Nothing is asked outside of a session.
    expect(transports[0]?.methods.slice(-3)).toEqual([
      'initialize',
      'notifications/initialized',
      'resources/read',
    ]);
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
