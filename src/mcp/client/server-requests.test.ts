import { describe, expect, test } from 'vitest';
import { settle } from '../../../test/support/client/manual-clock.js';
import { failure, openLegacy } from '../../../test/support/client/open-client.js';
import { SILENCE, type Script } from '../../../test/support/client/scripted-transport.js';
import { ProtocolError, type JsonObject } from '../jsonrpc/index.js';
import { TransportError } from '../transports/index.js';
import { InputRefused, type InputContext, type InputHandler } from './index.js';

const OK = { content: [] };
const FORM = {
  message: '?',
  requestedSchema: { type: 'object', properties: { s: { type: 'string', default: 'd' } } },
};

const never = (): Promise<JsonObject> => new Promise(() => {});

describe('requests of a legacy server', () => {
  test('C38: ping is answered at once, also before the handshake is over', async () => {
    const { wire } = await openLegacy(
      {},
      {
        initialize: (_sent, self) => {
          self.ask('early', 'ping');
          return { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '1' } };
        },
      },
    );
    wire.ask(0, 'ping');
    wire.ask('x', 'ping');
    await settle();
    expect(wire.responses).toEqual(['early', 0, 'x'].map((id) => ({ kind: 'result', id, result: {} })));
  });

  test('C38: kinds that were not declared are unknown methods', async () => {
    const { wire } = await openLegacy({}, {});
    for (const method of [
      'elicitation/create',
      'sampling/createMessage',
      'roots/list',
      'tools/list',
      'tasks/get',
    ])
      wire.ask(method, method);
    await settle();
    expect(wire.responses.map((message) => (message.kind === 'error' ? message.error.code : 0))).toEqual(
      Array(5).fill(-32601),
    );
  });

  test('C38: a declared kind without a handler is unknown too', async () => {
    const { wire } = await openLegacy({}, {}, { capabilities: { sampling: {} } });
    wire.ask(1, 'sampling/createMessage', {});
    await settle();
    expect(wire.responses[0]).toMatchObject({ error: { code: -32601 } });
  });

  test('C38: a mode that was not declared is an invalid parameter', async () => {
    const handler: InputHandler = () => ({ action: 'accept' });
    const { wire } = await openLegacy({}, {}, { handlers: { elicitation: handler, sampling: () => ({}) } });
    wire.ask(1, 'elicitation/create', { mode: 'url', url: 'https://x', message: '?' });
    wire.ask(2, 'sampling/createMessage', { tools: [] });
    wire.ask(3, 'elicitation/create', { mode: 'voice', message: '?' });
    await settle();
    expect(wire.responses).toMatchObject([
      { id: 1, error: { code: -32602 } },
      { id: 2, error: { code: -32602 } },
      { id: 3, error: { code: -32602 } },
    ]);
  });

  test('handlers answer, forms get their defaults, and the call is named', async () => {
    const contexts: InputContext[] = [];
    const { client, wire } = await openLegacy(
      {},
      { 'tools/call': SILENCE },
      {
        handlers: {
          elicitation: (request, context) => {
            contexts.push(context);
            expect(request).toEqual({ method: 'elicitation/create', params: FORM });
            return { action: 'accept' };
          },
          sampling: () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 't' } }),
          roots: () => ({ roots: [{ uri: 'file:///x' }] }),
        },
      },
    );
    const call = client.callTool('a', {}, { tag: 'mine' });
    const { id } = wire.of('tools/call')[0]!;
    wire.ask('e', 'elicitation/create', FORM, id);
    wire.ask('s', 'sampling/createMessage', {});
    wire.ask('r', 'roots/list');
    await settle();
    expect(wire.responses).toEqual([
      { kind: 'result', id: 'e', result: { action: 'accept', content: { s: 'd' } } },
      {
        kind: 'result',
        id: 's',
        result: { role: 'assistant', model: 'm', content: { type: 'text', text: 't' } },
      },
      { kind: 'result', id: 'r', result: { roots: [{ uri: 'file:///x' }] } },
    ]);
    expect(contexts[0]!.candidates).toEqual([contexts[0]!.during]);
    expect(contexts[0]!.during).toMatchObject({ method: 'tools/call', params: { name: 'a' }, tag: 'mine' });
    wire.answer(id!, OK);
    await call;
  });

  test('B14: what belongs to this hop is not shown to whoever answers', async () => {
    const asked: unknown[] = [];
    const elicitation: InputHandler = ({ params }) => (asked.push(params), { action: 'decline' });
    const { wire } = await openLegacy({}, {}, { handlers: { elicitation } });
    const mine = { 'io.modelcontextprotocol/related-task': { taskId: 't' }, progressToken: 1 };
    wire.ask(2, 'elicitation/create', { ...FORM, task: {}, _meta: { ...mine, 'vendor.example/k': 1 } });
    await settle();
    expect(asked).toEqual([{ ...FORM, _meta: { 'vendor.example/k': 1 } }]);
  });

  test('on a shared channel it cannot be told which call is meant, only which may be', async () => {
    let context: InputContext | undefined;
    const handlers = {
      roots: (_request: unknown, given: InputContext) => {
        context = given;
        return { roots: [] };
      },
    };
    const script: Script = { 'tools/call': SILENCE, 'resources/read': SILENCE, ping: SILENCE };
    const { client, wire } = await openLegacy({}, script, { handlers }, 'stdio');
    const calls = [
      client.callTool('a', {}, { tag: 1 }),
      client.readResource('x://1', { tag: 2 }),
      client.ping(),
    ];
    wire.ask(1, 'roots/list');
    await settle();
    expect(context!.during).toBeUndefined();
    expect(context!.candidates.map(({ tag }) => tag)).toEqual([1, 2]);
    for (const { id, method } of wire.sent.slice(2)) {
      if (id !== undefined) wire.answer(id, method === 'resources/read' ? { contents: [] } : OK);
    }
    await Promise.all(calls);
  });

  test('a call may bring its own handler', async () => {
    const { client, wire } = await openLegacy(
      {},
      { 'tools/call': SILENCE },
      { capabilities: { elicitation: {} } },
    );
    const call = client.callTool(
      'a',
      {},
      { onInput: ({ method }) => ({ action: 'accept', content: { method } }) },
    );
    const { id } = wire.of('tools/call')[0]!;
    wire.ask('mine', 'elicitation/create', { message: '?' }, id);
    wire.ask('nobody', 'elicitation/create', { message: '?' });
    await settle();
    expect(wire.responses).toMatchObject([
      { id: 'nobody', error: { code: -32601 } },
      { id: 'mine', result: { action: 'accept', content: { method: 'elicitation/create' } } },
    ]);
    wire.answer(id!, OK);
    await call;
  });
});

describe('refusals and failures', () => {
  const refuse: InputHandler = () => {
    throw new InputRefused();
  };
  const rows: readonly [string, string, InputHandler, object][] = [
    ['a refused form is declined', 'elicitation/create', refuse, { result: { action: 'decline' } }],
    ['a refused sampling has the code -1', 'sampling/createMessage', refuse, { error: { code: -1 } }],
    ['refused roots are an internal error', 'roots/list', refuse, { error: { code: -32603 } }],
    [
      'a protocol error is passed on',
      'roots/list',
      () => Promise.reject(new ProtocolError(-32050, 'mine', { a: 1 })),
      { error: { code: -32050, message: 'mine', data: { a: 1 } } },
    ],
    [
      'any other error keeps its text',
      'sampling/createMessage',
      () => Promise.reject(new Error('secret')),
      { error: { code: -32603, message: 'the request could not be answered' } },
    ],
    ['no object is an internal error', 'roots/list', () => 'text' as never, { error: { code: -32603 } }],
    ['so is what has no JSON form', 'roots/list', () => ({ n: 1n as never }), { error: { code: -32603 } }],
  ];
  test.each(rows)('C38: %s', async (_name, method, handler, expected) => {
    const { wire } = await openLegacy(
      {},
      {},
      { handlers: { elicitation: handler, sampling: handler, roots: handler } },
    );
    wire.ask('q', method, {});
    await settle();
    expect(wire.responses).toHaveLength(1);
    expect(wire.responses[0]).toMatchObject({ id: 'q', ...expected });
  });

  test('a handler that takes too long: forms are cancelled, sampling refused', async () => {
    const { wire, clock } = await openLegacy(
      {},
      {},
      { handlers: { elicitation: never, sampling: never }, timeouts: { inputMs: 50 } },
    );
    wire.ask(1, 'elicitation/create', FORM);
    wire.ask(2, 'sampling/createMessage', {});
    await clock.advance(51);
    expect(wire.responses).toMatchObject([
      { id: 1, result: { action: 'cancel' } },
      { id: 2, error: { code: -1 } },
    ]);
  });

  test('a request that the server takes back is not answered', async () => {
    let signal: AbortSignal | undefined;
    const { wire } = await openLegacy(
      {},
      {},
      {
        handlers: {
          elicitation: (_request, context) => {
            ({ signal } = context);
            return never();
          },
        },
      },
    );
    wire.ask('q', 'elicitation/create', FORM);
    await settle();
    wire.notify('notifications/cancelled', { requestId: 'other' });
    expect(signal!.aborted).toBe(false);
    wire.notify('notifications/cancelled', { requestId: 'q' });
    await settle();
    expect(signal!.aborted).toBe(true);
    expect(wire.responses).toEqual([]);
  });

  test('when the caller gives up, the form of his call is cancelled', async () => {
    const { client, wire } = await openLegacy(
      {},
      { 'tools/call': SILENCE },
      { handlers: { elicitation: never } },
    );
    const abort = new AbortController();
    const call = failure(client.callTool('a', {}, { signal: abort.signal }));
    wire.ask('q', 'elicitation/create', FORM, wire.of('tools/call')[0]!.id);
    await settle();
    abort.abort();
    expect(await call).toMatchObject({ code: 'aborted' });
    await settle();
    expect(wire.responses).toMatchObject([{ id: 'q', result: { action: 'cancel' } }]);
  });

  test('an answer that cannot be delivered is reported, the next one is still sent', async () => {
    const { wire, warnings } = await openLegacy(
      {},
      {
        '': (sent) =>
          sent.message.kind === 'result' && sent.message.id === 1
            ? new TransportError('HTTP_STATUS', 'no', { status: 400 })
            : {},
      },
    );
    wire.ask(1, 'ping');
    wire.ask(2, 'ping');
    await settle();
    expect(wire.responses).toHaveLength(2);
    expect(warnings.map(({ code }) => code)).toEqual(['answer_not_delivered']);
  });

  test('U-7: a flood is refused beyond a limit, and an id in use as well', async () => {
    const { wire } = await openLegacy({}, {}, { handlers: { roots: never } });
    for (let id = 0; id < 70; id++) wire.ask(id, 'roots/list');
    wire.ask(3, 'roots/list');
    await settle();
    const codes = wire.responses.map((message) => (message.kind === 'error' ? message.error.code : 0));
    expect(codes).toEqual([-32603, -32603, -32603, -32603, -32603, -32603, -32602]);
  });
});
