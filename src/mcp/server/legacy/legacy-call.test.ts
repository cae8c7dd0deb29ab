import { describe, expect, test } from 'vitest';
import { Gate, Harness, type HarnessOptions, type Session } from '../../../../test/support/server/harness.js';
import type { InputRequests } from '../../model/index.js';
import { InputRequired, type Handler } from '../index.js';

const FORM = {
  method: 'elicitation/create',
  params: { message: '?', requestedSchema: { type: 'object', properties: {} } },
} as const;
const URL_FORM = {
  method: 'elicitation/create',
  params: { mode: 'url', message: '?', url: 'https://a.example' },
} as const;
const SAMPLE = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } } as const;
const ROOTS = { method: 'roots/list' } as const;
const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const MESSAGE = { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm' };

/** Two ways to ask the same; for a client of this era there must be no difference. */
const WAYS: [string, (requests: InputRequests) => Handler][] = [
  ['askClient', (requests) => async (r) => ({ content: [], seen: (await r.askClient(requests)) as never })],
  [
    'InputRequired',
    (requests) => (r) =>
      r.resumed === undefined
        ? new InputRequired(requests, { s: 1 })
        : { content: [], seen: r.resumed.responses as never },
  ],
];

async function open(
  options: HarnessOptions,
  capabilities: object = CAPABILITIES,
  revision?: string,
): Promise<{ harness: Harness; session: Session }> {
  const harness = new Harness(options);
  return { harness, session: await harness.session({ capabilities, ...(revision && { revision }) }) };
}

describe.each(WAYS)('B10: with %s', (_way, asks) => {
  test('questions become live requests on the stream of the call', async () => {
    const { session } = await open({ call: asks({ form: FORM, model: SAMPLE, roots: ROOTS }) });
    const reader = await session.call();
    const asked = [await reader.message(), await reader.message(), await reader.message()];
    expect(new Set(asked.map((each) => each.method))).toEqual(
      new Set(['elicitation/create', 'roots/list', 'sampling/createMessage']),
    );
    expect(new Set(asked.map((each) => each.id)).size).toBe(3);
    const answers: Record<string, object> = {
      'elicitation/create': { action: 'accept', content: {} },
      'roots/list': { roots: [] },
      'sampling/createMessage': MESSAGE,
    };
    for (const each of asked)
      expect((await session.respond(each.id, answers[each.method] ?? {})).status).toBe(202);
    expect(await reader.rest()).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        result: {
          content: [],
          seen: { form: { action: 'accept', content: {} }, model: MESSAGE, roots: { roots: [] } },
        },
      },
    ]);
  });

  test.each(['decline', 'cancel'])('B12: %s is passed on', async (action) => {
    const { session } = await open({ call: asks({ form: FORM }) });
    const reader = await session.call();
    await session.respond((await reader.message()).id, { action });
    expect((await reader.message()).result.seen).toEqual({ form: { action } });
  });

  test('B12: a form that is refused with an error counts as cancelled', async () => {
    const { session } = await open({ call: asks({ form: FORM }) });
    const reader = await session.call();
    await session.post({
      jsonrpc: '2.0',
      id: (await reader.message()).id,
      error: { code: -32603, message: 'no' },
    });
    expect((await reader.message()).result.seen).toEqual({ form: { action: 'cancel' } });
  });

  test.each<[string, InputRequests, object]>([
    ['B12: refused sampling', { a: SAMPLE }, { error: { code: -1, message: 'User rejected' } }],
    ['B12: refused roots', { a: ROOTS }, { error: { code: -32601, message: 'no' } }],
    ['a malformed answer', { a: SAMPLE }, { result: {} }],
    ['an answer that is no object', { a: ROOTS }, { result: 7 }],
    ['a malformed form', { a: FORM }, { result: { action: 'maybe' } }],
  ])('%s becomes an error the model can read', async (_name, requests, answer) => {
    const { session } = await open({ call: asks(requests) });
    const reader = await session.call();
    await session.post({ jsonrpc: '2.0', id: (await reader.message()).id, ...answer });
    expect((await reader.message()).result).toEqual({
      content: [{ type: 'text', text: expect.any(String) }],
      isError: true,
    });
  });

  test.each<[string, InputRequests, object, string | undefined]>([
    ['S75: a kind that was not declared', { a: SAMPLE }, { elicitation: {} }, undefined],
    ['S75: a mode that was not declared', { a: URL_FORM }, { elicitation: {} }, undefined],
    ['a kind that its version does not have', { a: FORM }, CAPABILITIES, '2025-03-26'],
    ['a mode that its version does not have', { a: URL_FORM }, CAPABILITIES, '2025-06-18'],
  ])('%s is not asked for', async (_name, requests, capabilities, revision) => {
    const { session } = await open({ call: asks(requests) }, capabilities, revision);
    const answer = await session.request('tools/call', { name: 'echo' });
    expect(answer.status).toBe(200);
    expect(answer.body.result).toMatchObject({ isError: true, content: [{ type: 'text' }] });
  });

  test('on other methods it is an error of the protocol', async () => {
    const { session } = await open({ handlers: { 'prompts/get': asks({ a: SAMPLE }) } }, {});
    const answer = await session.request('prompts/get', { name: 'p' });
    expect(answer.body.error).toMatchObject({ code: -32603, message: expect.stringContaining('sampling') });
  });

  test('B11: a client that accepts JSON only cannot be asked', async () => {
    const { session } = await open({ call: asks({ a: ROOTS }) });
    const answer = await session.request('tools/call', { name: 'echo' }, { accept: 'application/json' });
    expect(answer.body.result.isError).toBe(true);
  });

  test('S77: nor one that has not finished its handshake', async () => {
    const harness = new Harness({ call: asks({ a: ROOTS }) });
    const session = await harness.session({ capabilities: CAPABILITIES, initialized: false });
    expect((await session.request('tools/call', { name: 'echo' })).body.result.isError).toBe(true);
    await session.notify('notifications/initialized');
    const reader = await session.call();
    expect((await reader.message()).method).toBe('roots/list');
    await reader.cancel();
    await session.delete();
  });

  test('S15: only the session that was asked can answer', async () => {
    const { harness, session } = await open({ call: asks({ a: ROOTS }) });
    const other = await harness.session();
    const reader = await session.call();
    const { id } = await reader.message();
    expect((await other.respond(id, { roots: [{ uri: 'file:///evil' }] })).status).toBe(202);
    expect(harness.count('unknown_response')).toBe(1);
    await session.respond(id, { roots: [] });
    expect((await reader.message()).result.seen).toEqual({ a: { roots: [] } });
    // An answer counts once.
    await session.respond(id, { roots: [] });
    expect(harness.count('unknown_response')).toBe(2);
  });

  test('B12: cancelling the call ends the question', async () => {
    const { harness, session } = await open({ call: asks({ a: ROOTS }) });
    const reader = await session.call({}, undefined, 5);
    const { id } = await reader.message();
    await session.notify('notifications/cancelled', { requestId: 5 });
    expect(await reader.rest()).toEqual([]);
    await session.respond(id, { roots: [] });
    expect(harness.count('unknown_response')).toBe(1);
  });

  test('S75: a client that does not answer in time is told so', async () => {
    const { session } = await open({ call: asks({ a: ROOTS }), limits: { askTimeoutMs: 20 } });
    const reader = await session.call();
    const { id } = await reader.message();
    const rest = await reader.rest();
    expect(rest).toContainEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: id, reason: 'timed out' },
    });
    expect(rest).toContainEqual(
      expect.objectContaining({ id: 1, result: expect.objectContaining({ isError: true }) }),
    );
  });

  test('a question outlives its connection', async () => {
    const { session } = await open({ call: asks({ a: ROOTS }) });
    const reader = await session.call();
    const primed = await reader.next();
    await reader.cancel();
    const again = await session.get({ 'last-event-id': primed?.id ?? '' });
    await session.respond((await again.message()).id, { roots: [] });
    expect((await again.message()).result.seen).toEqual({ a: { roots: [] } });
  });
});

describe('rounds', () => {
  test('each has its own answers, and the state of the one before', async () => {
    const call: Handler = ({ resumed }) => {
      const state = resumed?.state as { n: number } | undefined;
      if (state?.n === 2) return { content: [], seen: resumed as never };
      return new InputRequired({ [`q${state?.n ?? 0}`]: FORM }, { n: (state?.n ?? 0) + 1 });
    };
    const { session } = await open({ call });
    const reader = await session.call();
    for (const n of [0, 1])
      await session.respond((await reader.message()).id, { action: 'accept', content: { n } });
    expect((await reader.message()).result.seen).toEqual({
      responses: { q1: { action: 'accept', content: { n: 1 } } },
      state: { n: 2 },
    });
  });

  test('B10: state alone is tried again after a pause', async () => {
    const times: number[] = [];
    const call: Handler = ({ resumed }) => {
      times.push(performance.now());
      return resumed === undefined ? new InputRequired({}, 'soon') : { content: [], state: resumed.state };
    };
    const { session } = await open({ call, limits: { roundPauseMs: 50 } });
    expect((await session.request('tools/call', { name: 'echo' })).body.result.state).toBe('soon');
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(45);
  });

  test.each([
    [3, undefined],
    [4, true],
  ])('B10: %i rounds of at most three', async (rounds, isError) => {
    let left = rounds;
    const call: Handler = () => (left-- > 0 ? new InputRequired({}) : { content: [] });
    const { session } = await open({ call, limits: { inputRounds: 3, roundPauseMs: 1 } });
    expect((await session.request('tools/call', { name: 'echo' })).body.result.isError).toBe(isError);
  });

  test('a key that was answered is not asked again in the same call', async () => {
    const call: Handler = async (r) => {
      const first = await r.askClient({ a: ROOTS });
      const second = await r.askClient({ a: ROOTS });
      return { content: [], seen: [first, second] as never };
    };
    const { session } = await open({ call });
    const reader = await session.call();
    await session.respond((await reader.message()).id, { roots: [] });
    expect((await reader.message()).result.seen).toEqual([{ a: { roots: [] } }, { a: { roots: [] } }]);
  });

  test('URL elicitations have the id that their version wants', async () => {
    const { session } = await open({
      call: async (r) => ({ content: [], seen: (await r.askClient({ a: URL_FORM })) as never }),
    });
    const reader = await session.call();
    const asked = await reader.message();
    expect(asked.params).toEqual({
      ...URL_FORM.params,
      elicitationId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    await session.respond(asked.id, { action: 'accept' });
    await reader.rest();
  });

  test('a handler that does not wait for its answer breaks nothing', async () => {
    const { session } = await open(
      {
        call: (r) => {
          void r.askClient({ a: SAMPLE });
          return { content: [] };
        },
      },
      {},
    );
    expect((await session.request('tools/call', { name: 'echo' })).body.result).toEqual({ content: [] });
  });

  test('the end of the session ends the question', async () => {
    const gate = new Gate();
    const { session } = await open({
      call: async (r) => {
        await r.askClient({ a: ROOTS }).catch(() => gate.open());
        return { content: [] };
      },
    });
    const reader = await session.call();
    await reader.message();
    await session.delete();
    await gate.passed;
    expect((await reader.rest()).at(-1).error.message).toBe('The session ended');
  });
});
