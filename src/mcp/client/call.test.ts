import { describe, expect, test } from 'vitest';
import { settle } from '../../../test/support/client/manual-clock.js';
import { failure, openLegacy } from '../../../test/support/client/open-client.js';
import { SILENCE } from '../../../test/support/client/scripted-transport.js';
import type { JsonObject } from '../jsonrpc/index.js';

const OK = { content: [] };
const FORM = {
  message: '?',
  requestedSchema: { type: 'object', properties: { s: { type: 'string', default: 'd' } } },
};

const never = (): Promise<JsonObject> => new Promise(() => {});

describe('time while somebody thinks', () => {
  test('the call does not grow older', async () => {
    let answer: ((value: JsonObject) => void) | undefined;
    const { client, wire, clock } = await openLegacy(
      {},
      { 'tools/call': SILENCE },
      {
        handlers: {
          elicitation: () =>
            new Promise((resolve) => {
              answer = resolve;
            }),
        },
      },
    );
    const call = failure(client.callTool('a', {}, { timeoutMs: 1000, totalMs: 1500 }));
    const { id } = wire.of('tools/call')[0]!;
    await clock.advance(900);
    wire.ask('q', 'elicitation/create', FORM, id);
    await clock.advance(100_000);
    answer!({ action: 'accept', content: {} });
    await clock.advance(598);
    expect(wire.of('notifications/cancelled')).toHaveLength(0);
    await clock.advance(3);
    expect(await call).toMatchObject({ code: 'timeout' });
  });

  test('C20: after the answer the server has as long as after any other sign of life', async () => {
    const handlers = { elicitation: () => ({ action: 'cancel' }) };
    const { client, wire, clock } = await openLegacy({}, { 'tools/call': SILENCE }, { handlers });
    const call = failure(client.callTool('a', {}, { timeoutMs: 1000, totalMs: 10_000 }));
    const { id } = wire.of('tools/call')[0]!;
    for (const question of ['q1', 'q2', 'q3']) {
      await clock.advance(900);
      wire.ask(question, 'elicitation/create', FORM, id);
      await clock.advance(0);
    }
    await clock.advance(998);
    expect(wire.of('notifications/cancelled')).toHaveLength(0);
    await clock.advance(3);
    expect(await call).toMatchObject({ code: 'timeout' });
  });

  test('but not for ever: a server that goes on asking reaches the limit', async () => {
    const { client, wire, clock } = await openLegacy(
      {},
      { 'tools/call': SILENCE },
      { handlers: { elicitation: never }, timeouts: { inputMs: 1000 } },
    );
    const call = failure(client.callTool('a', {}, { timeoutMs: 500 }));
    const { id } = wire.of('tools/call')[0]!;
    for (let question = 0; question < 3; question++) {
      wire.ask(question, 'elicitation/create', FORM, id);
      await clock.advance(1000);
    }
    expect(await call).toMatchObject({ code: 'timeout' });
    expect(wire.of('notifications/cancelled')).toHaveLength(1);
  });

  test('nor does any call that the question may belong to', async () => {
    let answer: ((value: JsonObject) => void) | undefined;
    const { client, wire, clock } = await openLegacy(
      {},
      { 'tools/call': SILENCE },
      {
        handlers: {
          roots: () =>
            new Promise((resolve) => {
              answer = resolve;
            }),
        },
      },
      'stdio',
    );
    const call = client.callTool('a', {}, { timeoutMs: 1000 });
    wire.ask('q', 'roots/list');
    await clock.advance(5000);
    answer!({ roots: [] });
    await settle();
    wire.answer(wire.of('tools/call')[0]!.id!, OK);
    expect(await call).toEqual(OK);
  });
});
