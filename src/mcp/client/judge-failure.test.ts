import { describe, expect, test } from 'vitest';
import { settle } from '../../../test/support/client/manual-clock.js';
import { failure, openLegacy, openModern } from '../../../test/support/client/open-client.js';
import { Refusal, type Answer } from '../../../test/support/client/scripted-transport.js';
import { TransportError } from '../transports/index.js';

const OK = { content: [] };
const SESSION_GONE = new TransportError('MCP_SESSION_NOT_FOUND', 'gone', {
  status: 404,
  mayHaveArrived: false,
});

/** One answer after another; the last one stays. */
function sequence(...answers: readonly Answer[]): () => Answer {
  let count = 0;
  return () => answers[Math.min(count++, answers.length - 1)]!;
}

describe('a server that speaks the other era now', () => {
  const REVISIONS = { supported: ['2026-07-28'], requested: '2025-11-25' };
  const codes = (warnings: readonly { readonly code: string }[]) => warnings.map(({ code }) => code);

  test('1.6.11: a handshake server that names modern revisions was replaced; it did not look at the request', async () => {
    const { client, warnings } = await openLegacy(
      {},
      { 'tools/call': new Refusal(400, -32022, 'Unsupported protocol version', REVISIONS) },
    );
    const error = await failure(client.callTool('a'));
    expect(error).toMatchObject({ code: 'session_lost', mayHaveArrived: false });
    expect(codes(warnings)).toEqual(['other_era']);
  });

  test('1.6.11: one that does so when a new session is begun, too', async () => {
    const unsupported = new Refusal(400, -32022, 'Unsupported protocol version', REVISIONS);
    const begun = {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 's', version: '1' },
    };
    const { client, warnings } = await openLegacy(
      {},
      { 'tools/call': SESSION_GONE, initialize: sequence(begun, unsupported) },
    );
    await failure(client.callTool('a'));
    await settle();
    expect(codes(warnings)).toEqual(['other_era']);
  });

  test.each<readonly [what: string, status: number, ping: Answer, told: readonly string[]]>([
    ['and in a ping too was replaced', 400, new Refusal(400, -32602, 'no envelope'), ['other_era']],
    ['and is there is still one', 400, {}, []],
    ['and knows no ping is still one', 400, new Refusal(200, -32601, 'no'), []],
    ['in band is not asked', 200, new Refusal(400, -32602, 'no envelope'), []],
  ])('1.6.9: a handshake server that finds params wrong %s', async (_what, status, ping, told) => {
    const { client, warnings, wire } = await openLegacy(
      {},
      { 'tools/call': new Refusal(status, -32602, 'no envelope'), ping },
    );
    expect(await failure(client.callTool('a'))).toMatchObject({ name: 'ProtocolError', code: -32602 });
    await settle();
    expect(codes(warnings)).toEqual(told);
    expect(wire.of('ping')).toHaveLength(status === 400 ? 1 : 0);
  });

  test.each([
    ['an unknown session', new Refusal(400, -32000, 'Bad Request: Server not initialized')],
    ['an invalid request', new Refusal(400, -32600, 'Bad Request: Missing session ID')],
    ['a bare status', new TransportError('HTTP_STATUS', 'no', { status: 400, mayHaveArrived: true })],
  ])('1.6.11: a modern server that begins to speak of %s may have been replaced', async (_what, refusal) => {
    const { client, warnings } = await openModern({}, { 'tools/call': sequence(OK, refusal) });
    await client.callTool('a');
    expect(codes(warnings)).toEqual([]);
    await failure(client.callTool('a'));
    await failure(client.callTool('a'));
    expect(codes(warnings)).toEqual(['other_era']);
  });

  test.each([
    ['that is not known to have served anything', [new Refusal(400, -32000, 'no')]],
    ['that refuses params', [OK, new Refusal(400, -32602, 'no')]],
    ['that does not know a method', [OK, new Refusal(404, -32601, 'no')]],
    ['that says no in band', [OK, new Refusal(200, -32000, 'no')]],
    ['in front of which there is a wall', [OK, new TransportError('HTTP_FORBIDDEN', 'no', { status: 403 })]],
    ['that is down', [OK, new TransportError('HTTP_STATUS', 'no', { status: 502 })]],
  ])('a modern server %s is still one', async (_what, answers) => {
    const { client, warnings } = await openModern({}, { 'tools/call': sequence(...answers) });
    for (const _ of answers) await client.callTool('a').catch(() => {});
    expect(codes(warnings)).toEqual([]);
  });
});
