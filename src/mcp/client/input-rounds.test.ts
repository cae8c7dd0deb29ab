import { describe, expect, test } from 'vitest';
import { settle } from '../../../test/support/client/manual-clock.js';
import { failure, openLegacy, openModern } from '../../../test/support/client/open-client.js';
import { SILENCE, type Script } from '../../../test/support/client/scripted-transport.js';
import { InputRefused, type InputContext } from './index.js';

const OK = { content: [], resultType: 'complete' };
const FORM = {
  method: 'elicitation/create',
  params: {
    message: 'Really?',
    requestedSchema: {
      type: 'object',
      properties: { ok: { type: 'boolean', default: true }, n: { type: 'number' } },
    },
  },
};
const SAMPLE = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } };

function asks(requests: object, requestState?: string): never {
  return {
    resultType: 'input_required',
    inputRequests: requests,
    ...(requestState !== undefined && { requestState }),
  } as never;
}

/** A tool that answers one thing after another. */
function rounds(...answers: readonly object[]): Script {
  let round = 0;
  return { 'tools/call': () => answers[Math.min(round++, answers.length - 1)] as never };
}

describe('rounds', () => {
  test('C74: all answers, the same params, a new id, the exact state', async () => {
    const contexts: InputContext[] = [];
    const { client, wire } = await openModern({}, rounds(asks({ a: FORM, b: SAMPLE }, 'st\u00e4te=='), OK), {
      handlers: {
        elicitation: (_request, context) => {
          contexts.push(context);
          return { action: 'accept', content: { ok: false } };
        },
        sampling: async () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' } }),
      },
    });
    expect(await client.callTool('t', { x: 1 }, { tag: 7 })).toEqual(OK);
    const [first, second] = wire.of('tools/call');
    expect(second!.id).not.toBe(first!.id);
    const { _meta: _1, ...before } = first!.params;
    const { _meta: _2, ...after } = second!.params;
    expect(before).toEqual({ name: 't', arguments: { x: 1 } });
    expect(after).toEqual({
      ...before,
      inputResponses: {
        a: { action: 'accept', content: { ok: false } },
        b: { role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' } },
      },
      requestState: 'st\u00e4te==',
    });
    expect(second!.headers['mcp-name']).toBe('t');
    expect(contexts[0]!.during).toMatchObject({ method: 'tools/call', tag: 7 });
  });

  test('C74: no state where none was given, and answers do not pile up', async () => {
    const { client, wire } = await openModern({}, rounds(asks({ a: FORM }, 's1'), asks({ b: FORM }), OK), {
      handlers: { elicitation: () => ({ action: 'decline' }) },
    });
    await client.callTool('t');
    const [, second, third] = wire.of('tools/call').map(({ params: { _meta: _, ...rest } }) => rest);
    expect(second).toEqual({ name: 't', inputResponses: { a: { action: 'decline' } }, requestState: 's1' });
    expect(third).toEqual({ name: 't', inputResponses: { b: { action: 'decline' } } });
  });

  test('C74: works for prompts and resources, and not across calls', async () => {
    let read = 0;
    const { client, wire } = await openModern(
      {},
      {
        'resources/read': () => (read++ === 0 ? asks({ a: FORM }, 'one') : { contents: [] }),
        'prompts/get': { messages: [] },
      },
      {
        handlers: {
          elicitation: async () => {
            await client.getPrompt('p');
            return { action: 'accept' };
          },
        },
      },
    );
    await client.readResource('x://1');
    expect(wire.of('prompts/get')[0]!.params).not.toHaveProperty('requestState');
    expect(wire.of('resources/read')[1]!.params).toMatchObject({ uri: 'x://1', requestState: 'one' });
  });

  test('C75: rounds that hold only a state are paced', async () => {
    const { client, wire, clock } = await openModern(
      {},
      rounds({ resultType: 'input_required', requestState: 'wait' }, OK),
    );
    const call = client.callTool('t');
    await clock.advance(249);
    expect(wire.of('tools/call')).toHaveLength(1);
    await clock.advance(1);
    expect(await call).toEqual(OK);
    expect(wire.of('tools/call')[1]!.params).toMatchObject({ requestState: 'wait' });
    expect(wire.of('tools/call')[1]!.params).not.toHaveProperty('inputResponses');
  });

  test('C75: there are ten rounds at most', async () => {
    const { client, wire } = await openModern({}, rounds(asks({ a: FORM })), {
      handlers: { elicitation: () => ({ action: 'cancel' }) },
    });
    expect(await failure(client.callTool('t'))).toMatchObject({ code: 'round_limit' });
    expect(wire.of('tools/call')).toHaveLength(11);
  });

  const invalid: readonly [string, object][] = [
    ['a kind that was not declared', asks({ a: { method: 'roots/list' } })],
    [
      'a mode that was not declared',
      asks({ a: { method: 'elicitation/create', params: { mode: 'url', url: 'https://x', message: '' } } }),
    ],
    ['an unknown kind', asks({ a: { method: 'ping' } })],
    ['nothing at all', { resultType: 'input_required' }],
    ['a state that is no string', { resultType: 'input_required', requestState: 5 }],
  ];
  test.each(invalid)('C76: %s is an invalid response', async (_name, answer) => {
    const { client, wire } = await openModern({}, rounds(answer), {
      handlers: { elicitation: () => ({ action: 'accept' }) },
    });
    expect(await failure(client.callTool('t'))).toMatchObject({ code: 'invalid_response' });
    expect(wire.of('tools/call')).toHaveLength(1);
  });

  test('C76: other methods may not ask', async () => {
    const { client } = await openModern(
      { tools: {} },
      { 'tools/list': asks({ a: FORM }), 'completion/complete': asks({}, 's') },
      {
        handlers: { elicitation: () => ({ action: 'accept' }) },
      },
    );
    expect(await failure(client.listTools())).toMatchObject({ code: 'invalid_response' });
    expect(
      await failure(
        client.complete({ ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } }),
      ),
    ).toMatchObject({ code: 'invalid_response' });
  });
});

describe('refusals', () => {
  test('a refused form is declined, a refused sampling ends the call', async () => {
    const refuse = (): never => {
      throw new InputRefused();
    };
    const form = await openModern({}, rounds(asks({ a: FORM }), OK), { handlers: { elicitation: refuse } });
    await form.client.callTool('t');
    expect(form.wire.of('tools/call')[1]!.params['inputResponses']).toEqual({ a: { action: 'decline' } });
    const sampling = await openModern({}, rounds(asks({ a: SAMPLE }), OK), {
      handlers: { sampling: refuse },
    });
    expect(await failure(sampling.client.callTool('t'))).toMatchObject({ code: 'input_refused' });
    expect(sampling.wire.of('tools/call')).toHaveLength(1);
  });

  test('a handler that fails or is missing ends the call', async () => {
    const broken = await openModern({}, rounds(asks({ a: FORM })), {
      handlers: { elicitation: () => Promise.reject(new Error('mine')) },
    });
    expect(await failure(broken.client.callTool('t'))).toMatchObject({
      code: 'input_failed',
      cause: { message: 'mine' },
    });
    const odd = await openModern({}, rounds(asks({ a: FORM })), {
      handlers: { elicitation: () => 'text' as never },
    });
    expect(await failure(odd.client.callTool('t'))).toMatchObject({ code: 'input_failed' });
    const missing = await openModern({}, rounds(asks({ a: FORM })), { capabilities: { elicitation: {} } });
    expect(await failure(missing.client.callTool('t'))).toMatchObject({ code: 'input_failed' });
  });

  test('an abort between two rounds ends the handler and the call', async () => {
    let seen: AbortSignal | undefined;
    const { client, wire } = await openModern({}, rounds(asks({ a: FORM })), {
      handlers: {
        elicitation: (_request, { signal }) => {
          seen = signal;
          return new Promise(() => {});
        },
      },
    });
    const abort = new AbortController();
    const call = failure(client.callTool('t', {}, { signal: abort.signal }));
    await settle();
    abort.abort();
    expect(await call).toMatchObject({ code: 'aborted' });
    expect(seen!.aborted).toBe(true);
    expect(wire.of('tools/call')).toHaveLength(1);
  });

  test('a handler has its own, longer time, and a late form counts as cancelled', async () => {
    const { client, wire, clock } = await openModern({}, rounds(asks({ a: FORM }), OK), {
      handlers: { elicitation: () => new Promise(() => {}) },
      timeouts: { inputMs: 300_000 },
    });
    const call = client.callTool('t', {}, { timeoutMs: 10, totalMs: 10 });
    await clock.advance(299_999);
    expect(wire.of('tools/call')).toHaveLength(1);
    await clock.advance(1);
    await call;
    expect(wire.of('tools/call')[1]!.params['inputResponses']).toEqual({ a: { action: 'cancel' } });
  });
});

describe('answering for oneself', () => {
  test('a raw call hands questions back and continues with answers', async () => {
    const { client, wire } = await openModern({}, rounds(asks({ a: FORM }, 's'), OK), { capabilities: {} });
    const capabilities = { elicitation: { form: {} } };
    const first = await client.callRaw('tools/call', { name: 't' }, { capabilities });
    expect(first).toEqual({ type: 'input_required', requests: { a: FORM }, requestState: 's' });
    const second = await client.callRaw(
      'tools/call',
      { name: 't' },
      { capabilities, inputResponses: { a: { action: 'cancel' } }, requestState: 's' },
    );
    expect(second).toEqual({ type: 'complete', result: OK });
    expect(wire.of('tools/call')[1]!.params).toMatchObject({
      name: 't',
      inputResponses: { a: { action: 'cancel' } },
      requestState: 's',
    });
    const undeclared = await openModern({}, rounds(asks({ a: FORM }, 's')), { capabilities: {} });
    expect(await failure(undeclared.client.callRaw('tools/call', { name: 't' }))).toMatchObject({
      code: 'invalid_response',
    });
  });

  test('a raw call of a legacy server is complete at once', async () => {
    const { client } = await openLegacy({}, { 'tools/call': { content: [], further: 'as received' } });
    expect(await client.callRaw('tools/call', { name: 't' })).toEqual({
      type: 'complete',
      result: { content: [], further: 'as received' },
    });
  });

  describe.each([
    ['legacy', openLegacy],
    ['modern', openModern],
  ] as const)('C46: the result of a raw call is checked like that of a whole one, %s', (_era, open) => {
    test.each([
      ['tools/call', { content: [5] }],
      ['tools/call', { content: [{ text: 'of no type' }] }],
      ['tools/call', { content: [], isError: 'yes' }],
      ['prompts/get', { messages: 'none' }],
      ['resources/read', {}],
    ])('%s: %j is none', async (method, result) => {
      const { client } = await open({ prompts: {}, resources: {} }, { [method]: result });
      const asked = client.callRaw(method, { name: 't', uri: 'x:1' });
      expect(await failure(asked)).toMatchObject({ code: 'invalid_response' });
    });

    test('null for what is left out is nothing, and content may be missing', async () => {
      const answers = [{ content: [], isError: null, _meta: null }, { structuredContent: { n: 1 } }];
      const { client } = await open({}, rounds(...answers));
      expect(await client.callRaw('tools/call', { name: 't' })).toEqual({
        type: 'complete',
        result: { content: [] },
      });
      expect(await client.callRaw('tools/call', { name: 't' })).toEqual({
        type: 'complete',
        result: { content: [], structuredContent: { n: 1 } },
      });
    });

    test('of a method nobody knows anything is one', async () => {
      const { client } = await open({}, { 'vendor/thing': { content: 'as received' } });
      expect(await client.callRaw('vendor/thing', {})).toEqual({
        type: 'complete',
        result: { content: 'as received' },
      });
    });
  });

  test('a call may bring its own handler', async () => {
    const { client, wire } = await openModern({}, rounds(asks({ a: FORM }), OK), {
      handlers: { elicitation: () => expect.unreachable('the handler of the client was used') },
    });
    await client.callTool('t', {}, { onInput: ({ method }) => ({ action: 'accept', content: { method } }) });
    expect(wire.of('tools/call')[1]!.params['inputResponses']).toEqual({
      a: { action: 'accept', content: { method: 'elicitation/create', ok: true } },
    });
  });
});

describe('defaults of forms', () => {
  test('fields left out of an accepted form get their defaults', async () => {
    const { client, wire } = await openModern({}, rounds(asks({ a: FORM }), OK), {
      handlers: { elicitation: () => ({ action: 'accept' }) },
    });
    await client.callTool('t');
    expect(wire.of('tools/call')[1]!.params['inputResponses']).toEqual({
      a: { action: 'accept', content: { ok: true } },
    });
  });

  test('unless that is turned off', async () => {
    const { client, wire } = await openModern({}, rounds(asks({ a: FORM }), OK), {
      handlers: { elicitation: () => ({ action: 'accept' }) },
      formDefaults: false,
    });
    await client.callTool('t');
    expect(wire.of('tools/call')[1]!.params['inputResponses']).toEqual({ a: { action: 'accept' } });
  });
});

test('closing ends a call that waits for input', async () => {
  const { client } = await openModern({}, rounds(asks({ a: FORM })), {
    handlers: { elicitation: () => new Promise(() => {}) },
  });
  const call = failure(client.callTool('t'));
  await settle();
  await client.close();
  expect(await call).toMatchObject({ code: 'closed' });
});

test('a silent round is limited like any request', async () => {
  let round = 0;
  const { client, clock } = await openModern(
    {},
    { 'tools/call': () => (round++ === 0 ? asks({ a: FORM }) : SILENCE) },
    {
      handlers: { elicitation: () => ({ action: 'accept' }) },
    },
  );
  const call = failure(client.callTool('t', {}, { timeoutMs: 50 }));
  await clock.advance(51);
  expect(await call).toMatchObject({ code: 'timeout' });
});
