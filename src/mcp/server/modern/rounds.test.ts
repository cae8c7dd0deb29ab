import { describe, expect, test } from 'vitest';
import { Harness, type Answer, type ModernOptions } from '../../../../test/support/server/harness.js';
import type { InputRequests } from '../../model/index.js';
import { createStateSeal, InputRequired, type Handler } from '../index.js';

const FORM = {
  method: 'elicitation/create',
  params: { mode: 'form', message: '?', requestedSchema: { type: 'object', properties: {} } },
} as const;
const SAMPLE = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } } as const;
const ROOTS = { method: 'roots/list' } as const;
const ALL = { capabilities: { elicitation: {}, sampling: {}, roots: {} } };
const accept = (content: object): object => ({ action: 'accept', content });

/** Asks twice with `InputRequired`. */
const twice: Handler = ({ resumed }) => {
  if (resumed === undefined) return new InputRequired({ name: FORM }, { step: 1 });
  const { step } = resumed.state as { step: number };
  if (step === 1)
    return new InputRequired({ colour: FORM }, { step: 2, name: resumed.responses['name'] ?? null });
  return { content: [], seen: { state: resumed.state, responses: resumed.responses } as never };
};

/** Asks twice with `askClient`. */
function asking(runs: string[] = []): Handler {
  return async (request) => {
    runs.push('run');
    const first = await request.askClient({ name: FORM });
    const second = await request.askClient({ model: SAMPLE, roots: ROOTS });
    return { content: [], seen: { first, second } as never };
  };
}

function call(harness: Harness, more: object = {}, options: ModernOptions = ALL): Promise<Answer> {
  return harness.modern('tools/call', { name: 'echo', arguments: { a: 1, b: 2 }, ...more }, options);
}

describe('S43: InputRequired', () => {
  test('two rounds, each with its own answers, state carried unaltered', async () => {
    const harness = new Harness({ call: twice });
    const one = (await call(harness)).body.result;
    expect(one).toMatchObject({ resultType: 'input_required', inputRequests: { name: FORM } });
    const two = (
      await call(harness, { inputResponses: { name: accept({ v: 'x' }) }, requestState: one.requestState })
    ).body.result;
    expect(two.inputRequests).toEqual({ colour: FORM });
    expect(two.requestState).not.toBe(one.requestState);
    const end = (
      await call(harness, { inputResponses: { colour: accept({}) }, requestState: two.requestState })
    ).body.result;
    expect(end).toMatchObject({
      resultType: 'complete',
      seen: { state: { step: 2, name: accept({ v: 'x' }) }, responses: { colour: accept({}) } },
    });
  });

  test('it may be thrown', async () => {
    const harness = new Harness({
      call: async () => {
        const required: unknown = new InputRequired({ name: FORM });
        throw required;
      },
    });
    const { result } = (await call(harness)).body;
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { name: FORM } });
    expect(result).not.toHaveProperty('requestState');
  });

  test('state alone means: try again', async () => {
    const harness = new Harness({ call: () => new InputRequired({}) });
    const { result } = (await call(harness)).body;
    expect(typeof result.requestState).toBe('string');
    expect(result).not.toHaveProperty('inputRequests');
  });

  test.each(['prompts/get', 'resources/read'])('also on %s', async (method) => {
    const harness = new Harness({ handlers: { [method]: () => new InputRequired({ a: FORM }) } });
    const params = method === 'prompts/get' ? { name: 'p' } : { uri: 'a:b' };
    expect((await harness.modern(method, params, ALL)).body.result.resultType).toBe('input_required');
  });

  test('nowhere else', async () => {
    const harness = new Harness({ handlers: { 'tools/list': () => new InputRequired({ a: FORM }) } });
    expect((await harness.modern('tools/list', {}, ALL)).body.error.code).toBe(-32603);
  });

  test('the members of the rounds are not shown as params', async () => {
    const harness = new Harness({
      call: ({ params, resumed }) => ({ content: [], seen: { params, resumed } as never }),
    });
    const { result } = (await call(harness, { inputResponses: { a: {} } })).body;
    expect(result.seen).toEqual({
      params: { name: 'echo', arguments: { a: 1, b: 2 } },
      resumed: { responses: { a: {} } },
    });
  });
});

describe('askClient', () => {
  test('the handler runs again and finds its answers', async () => {
    const runs: string[] = [];
    const harness = new Harness({ call: asking(runs) });
    const one = (await call(harness)).body.result;
    expect(one.inputRequests).toEqual({ name: FORM });
    expect(one).not.toHaveProperty('requestState');
    const two = (await call(harness, { inputResponses: { name: accept({}) } })).body.result;
    expect(two.inputRequests).toEqual({ model: SAMPLE, roots: ROOTS });
    const answers = {
      model: { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm' },
      roots: { roots: [] },
    };
    const end = (await call(harness, { inputResponses: answers, requestState: two.requestState })).body
      .result;
    expect(end).toMatchObject({
      resultType: 'complete',
      seen: { first: { name: accept({}) }, second: answers },
    });
    expect(runs).toHaveLength(3);
  });

  test('S45: what is missing is asked again, what is not known is ignored', async () => {
    const harness = new Harness({ call: asking() });
    const one = (await call(harness, { inputResponses: { other: {} } })).body.result;
    expect(one.inputRequests).toEqual({ name: FORM });
    const two = (await call(harness, { inputResponses: { name: accept({}) } })).body.result;
    const three = (
      await call(harness, { inputResponses: { roots: { roots: [] } }, requestState: two.requestState })
    ).body.result;
    expect(three.inputRequests).toEqual({ model: SAMPLE });
  });

  test('what the handler holds is released, and what it answers in vain does not count', async () => {
    let released = false;
    const harness = new Harness({
      call: async (request) => {
        try {
          await request.askClient({ name: FORM });
        } catch {
          return { content: [], isError: true };
        } finally {
          released = true;
        }
        return { content: [] };
      },
    });
    expect((await call(harness)).body.result.resultType).toBe('input_required');
    expect(released).toBe(true);
  });

  test('questions put side by side go together', async () => {
    const harness = new Harness({
      call: async (request) => {
        await Promise.all([request.askClient({ a: FORM }), request.askClient({ b: FORM })]);
        return { content: [] };
      },
    });
    expect((await call(harness)).body.result.inputRequests).toEqual({ a: FORM, b: FORM });
  });

  test('a handler that does not wait breaks nothing', async () => {
    const harness = new Harness({
      call: (request) => {
        void request.askClient({ a: FORM });
        return { content: [] };
      },
    });
    expect((await call(harness)).body.result.resultType).toBe('input_required');
  });

  test.each<[string, InputRequests, object, object]>([
    ['sampling', { a: SAMPLE }, {}, { sampling: {} }],
    ['forms', { a: FORM }, { elicitation: { url: {} } }, { elicitation: { form: {} } }],
    [
      'URLs',
      { a: { method: 'elicitation/create', params: { mode: 'url', message: '', url: 'https://a' } } },
      { elicitation: {} },
      { elicitation: { url: {} } },
    ],
    ['roots and sampling', { a: ROOTS, b: SAMPLE }, {}, { roots: {}, sampling: {} }],
    [
      'tools in sampling',
      { a: { method: 'sampling/createMessage', params: { messages: [], tools: [] } } },
      { sampling: {} },
      { sampling: { tools: {} } },
    ],
  ])('S33 S43: %s that was not declared', async (_name, requests, capabilities, requiredCapabilities) => {
    for (const handler of [
      (() => new InputRequired(requests)) as Handler,
      (async (r) => ({ ...(await r.askClient(requests)) })) as Handler,
    ]) {
      const answer = await call(new Harness({ call: handler }), {}, { capabilities });
      expect([answer.status, answer.body.error]).toEqual([
        400,
        { code: -32021, message: expect.any(String), data: { requiredCapabilities } },
      ]);
    }
  });

  test.each([
    ['null', null],
    ['a list', []],
    ['answers that are no objects', { name: 12345 }],
    ['an elicitation without an action', { name: {} }],
    ['an elicitation with another action', { name: { action: 'maybe' } }],
    ['a form that is no object', { name: { action: 'accept', content: 'x' } }],
  ])('S45: malformed answers: %s', async (_name, inputResponses) => {
    const answer = await call(new Harness({ call: asking() }), { inputResponses });
    expect([answer.status, answer.body.error?.code]).toEqual([200, -32602]);
  });
});

describe('S44 M-18 B1.7: requestState', () => {
  const seal = (clock?: () => number) =>
    createStateSeal({ key: Buffer.alloc(32, 7), lifetimeMs: 1000, ...(clock && { clock }) });
  const answers = { inputResponses: { name: accept({}) } };
  const refused = [200, -32602];

  async function firstState(harness: Harness): Promise<string> {
    return (await call(harness)).body.result.requestState;
  }

  test.each([
    ['extended', (state: string) => `${state}-TAMPERED`],
    ['with a foreign character', (state: string) => `${state}!`],
    ['cut', (state: string) => state.slice(0, -4)],
    [
      'with one bit changed',
      (state: string) => state.slice(0, 20) + (state[20] === 'A' ? 'B' : 'A') + state.slice(21),
    ],
    ['of another make', () => 's9.AAAA'],
    ['empty', () => ''],
  ])('%s', async (_name, change) => {
    const runs: unknown[] = [];
    const harness = new Harness({
      call: (request) => {
        runs.push(request);
        return twice(request);
      },
      seal: seal(),
    });
    const answer = await call(harness, { ...answers, requestState: change(await firstState(harness)) });
    expect([answer.status, answer.body.error?.code]).toEqual(refused);
    expect(runs).toHaveLength(1);
  });

  test.each<[string, object, ModernOptions]>([
    ['by another principal', {}, { ...ALL, principal: 'bob' }],
    ['for another tool', { name: 'other' }, ALL],
    ['with other arguments', { arguments: { a: 1, b: 3 } }, ALL],
  ])('replayed %s', async (_name, change, options) => {
    const harness = new Harness({ call: twice });
    const requestState = await firstState(harness);
    const answer = await call(harness, { ...answers, requestState, ...change }, options);
    expect([answer.status, answer.body.error?.code]).toEqual(refused);
  });

  test('for another method', async () => {
    const harness = new Harness({ call: twice, handlers: { 'prompts/get': twice } });
    const requestState = await firstState(harness);
    const params = { name: 'echo', arguments: { a: 1, b: 2 }, ...answers, requestState };
    expect((await harness.modern('prompts/get', params, ALL)).body.error?.code).toBe(-32602);
  });

  test('the order of members does not matter', async () => {
    const harness = new Harness({ call: twice });
    const requestState = await firstState(harness);
    const answer = await call(harness, { arguments: { b: 2, a: 1 }, ...answers, requestState });
    expect(answer.body.result.resultType).toBe('input_required');
  });

  test('used twice', async () => {
    const harness = new Harness({ call: twice });
    const again = { ...answers, requestState: await firstState(harness) };
    expect((await call(harness, again)).body.result.resultType).toBe('input_required');
    expect((await call(harness, again)).body.error?.code).toBe(-32602);
  });

  test('that nobody can look up is good again later', async () => {
    let trouble: Error | undefined = new Error('away');
    const claimState = async (): Promise<boolean> => {
      if (trouble !== undefined) throw trouble;
      return true;
    };
    const harness = new Harness({ call: twice, claimState });
    const again = { ...answers, requestState: await firstState(harness) };
    const refusal = await call(harness, again);
    expect([refusal.status, refusal.body.error?.code, refusal.headers.get('retry-after')]).toEqual([
      503,
      -32603,
      '1',
    ]);
    trouble = undefined;
    expect((await call(harness, again)).body.result.resultType).toBe('input_required');
  });

  test('expired', async () => {
    let now = 0;
    const harness = new Harness({ call: twice, seal: seal(() => now) });
    const requestState = await firstState(harness);
    const other = await firstState(harness);
    now = 999;
    expect((await call(harness, { ...answers, requestState })).body.result.resultType).toBe('input_required');
    now = 1000;
    expect((await call(harness, { ...answers, requestState: other })).body.error?.code).toBe(-32602);
  });

  test('of another process with the same key', async () => {
    const one = new Harness({ call: twice, seal: seal(() => 0) });
    const two = new Harness({ call: twice, seal: seal(() => 1) });
    const answer = await call(two, { ...answers, requestState: await firstState(one) });
    expect(answer.body.result.resultType).toBe('input_required');
  });

  test('not a string', async () => {
    const answer = await call(new Harness({ call: twice }), { requestState: 7 });
    expect(answer.body.error?.code).toBe(-32602);
  });
});
