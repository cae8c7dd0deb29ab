import { describe, expect, test } from 'vitest';
import { settle } from '../../../test/support/client/manual-clock.js';
import { failure, openClient } from '../../../test/support/client/open-client.js';
import {
  legacyScript,
  modernScript,
  ScriptedTransport,
  SILENCE,
  type Answer,
  type Script,
} from '../../../test/support/client/scripted-transport.js';
import { connect } from './index.js';

const OK = { content: [] };

/** Ends instead of answering. */
const crash = (_sent: unknown, wire: ScriptedTransport): Answer => (wire.crash(), SILENCE);

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
