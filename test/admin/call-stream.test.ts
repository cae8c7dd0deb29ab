import { afterAll, beforeAll, expect, test } from 'vitest';
import { createParser } from 'eventsource-parser';
import { createAdminAccount } from '../../src/agents/index.js';
import { HubError, Secret } from '../../src/kernel/index.js';
import type { UpstreamOptions } from '../../src/upstreams/index.js';
import { ADMIN_TOKEN, ask, openAdminHub, TOOLS, withNotes, type AdminHub } from '../support/admin-hub.js';
import { until } from '../support/http/until.js';
import { tell } from './scenario.js';

type Told = Readonly<Record<string, unknown>> & { readonly type: string };

const OTHER_TOKEN = 'other-token-0123456789abcdef';
const FORM = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'Which one?',
    requestedSchema: { type: 'object', properties: { n: { type: 'integer' } } },
  },
} as const;

let hub: AdminHub;
beforeAll(async () => {
  hub = await openAdminHub();
  hub.browser.admins.configure([
    createAdminAccount({
      id: 'other',
      name: 'other',
      role: 'operator',
      now: 0,
      token: new Secret(OTHER_TOKEN),
    }).account,
  ]);
  await withNotes(hub);
  await tell(hub, { method: 'POST', path: '/agents', body: { id: 'asker' } });
  await tell(hub, {
    method: 'PUT',
    path: '/policies/asked',
    body: {
      text: '@confirm("Really?") permit(principal == Agent::"asker", action, resource == Tool::"notes/erase");',
    },
  });
});
afterAll(() => hub.close());

/** What the upstream does with the next calls. */
function does(call: (args: unknown, options: UpstreamOptions) => unknown): void {
  hub.upstreams.script('notes', {
    tools: [TOOLS.search, TOOLS.erase],
    call: async (_name, args, options) => {
      const given = await call(args, options);
      return { content: [], structuredContent: { answer: given } } as never;
    },
  });
}

class Watched {
  readonly told: Told[] = [];
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly ended: Promise<void>;

  constructor(response: Response) {
    this.#reader = (response.body as ReadableStream<Uint8Array>).getReader();
    this.ended = this.#read();
  }

  async #read(): Promise<void> {
    const parser = createParser({
      onEvent: ({ event, data }) => {
        const told = JSON.parse(data) as Told;
        this.told.push({ ...told, type: event === told.type ? told.type : 'named wrongly' });
      },
    });
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await this.#reader.read();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
    }
  }

  async first(type: string): Promise<Told> {
    await until(() => this.told.some((each) => each.type === type), `${type} is told`);
    return this.told.find((each) => each.type === type) as Told;
  }

  leave(): Promise<void> {
    return this.#reader.cancel();
  }
}

async function watch(
  { agent = 'local', name = 'notes__erase', args = '{}' } = {},
  headers: Readonly<Record<string, string>> = {},
  token: string | null = ADMIN_TOKEN,
): Promise<Watched> {
  const raw = `{"agent":"${agent}","name":"${name}","arguments":${args}}`;
  const asked = { method: 'POST', path: '/tools/call', raw, token };
  return new Watched(await ask(hub, { ...asked, headers: { accept: 'text/event-stream', ...headers } }));
}

async function answer(
  callId: unknown,
  question: unknown,
  body: object,
  token = ADMIN_TOKEN,
): Promise<number> {
  const path = `/tools/calls/${String(callId)}/questions/${String(question)}`;
  return (await ask(hub, { method: 'POST', path, body, token })).status;
}

test('B6: the upstream and the log are told of the trace that the request names, where that is well-formed', async () => {
  does((_args, { meta }) => meta ?? 'none');
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const named = await watch({}, { traceparent, tracestate: 'vendor=1', baggage: 'who=me' });
  await named.ended;
  expect(named.told.at(-1)).toMatchObject({
    result: { structuredContent: { answer: { traceparent, tracestate: 'vendor=1' } } },
  });
  expect((await hub.recorded()).at(-2)?.event).toMatchObject({ type: 'call.intended', trace: traceparent });
  const unnamed = await watch({}, { traceparent: 'here', tracestate: 'vendor=1' });
  await unnamed.ended;
  expect(unnamed.told.at(-1)).toMatchObject({ result: { structuredContent: { answer: 'none' } } });
});

test('each stage, the decision, progress and the result are told, with every digit', async () => {
  does((args, { onProgress }) => {
    onProgress?.({ progress: 1, total: 2, message: 'half' });
    return args;
  });
  const raw = '{"agent":"local","name":"notes__erase","arguments":{"id":9007199254740993}}';
  const headers = { accept: 'text/event-stream' };
  const text = await (await ask(hub, { method: 'POST', path: '/tools/call', raw, headers })).text();
  expect(text).toContain('{"answer":{"id":9007199254740993}}');
  const call = await watch({ args: '{"id":1}' });
  await call.ended;
  expect(call.told[0]).toEqual({ type: 'started', callId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  expect(await call.first('decision')).toMatchObject({
    decision: 'allow',
    policies: ['starter/1'],
    reason: 'permitted by starter/1',
  });
  expect(await call.first('progress')).toEqual({ type: 'progress', progress: 1, total: 2, message: 'half' });
  expect(call.told.flatMap(({ type, stage }) => (type === 'stage' ? [stage] : []))).toEqual([
    'lookup',
    'policy',
    'validation',
    'intent',
    'credential',
    'connect',
    'upstream',
    'guard',
    'outcome',
  ]);
  expect(call.told.at(-1)).toMatchObject({
    type: 'result',
    callId: call.told[0]?.['callId'],
    result: { structuredContent: { answer: { id: 1 } } },
  });
  const recorded = (await hub.recorded()).slice(-2);
  expect(recorded.map(({ actor, event }) => ({ actor, ...event }))).toMatchObject([
    { type: 'call.intended', actor: { kind: 'agent', id: 'local', admin: 'admin' } },
    { type: 'call.finished', outcome: 'ok', callId: call.told[0]?.['callId'] },
  ]);
});

test('a question is answered in a request of its own, by who made the call, once', async () => {
  does((_args, { ask: put, signal }) => put?.(FORM, signal as AbortSignal));
  const call = await watch();
  const { callId } = await call.first('started');
  const question = await call.first('question');
  expect(question).toMatchObject({
    from: 'upstream',
    mode: 'form',
    message: 'notes: Which one?',
    requestedSchema: FORM.params.requestedSchema,
    expiresAt: expect.stringMatching(/Z$/),
  });
  const given = { action: 'accept', content: { n: 7 } };
  expect(await answer(callId, question['id'], given, OTHER_TOKEN)).toBe(404);
  expect(await answer('another', question['id'], given)).toBe(404);
  expect(await answer(callId, 'another', given)).toBe(404);
  expect(await answer(callId, 'x'.repeat(5_000), given)).toBe(404);
  expect(await answer(callId, question['id'], { action: 'decline', content: {} })).toBe(400);
  expect(await answer(callId, question['id'], given)).toBe(204);
  expect(await answer(callId, question['id'], given)).toBe(404);
  await call.ended;
  expect(await call.first('question_over')).toMatchObject({ id: question['id'], reason: 'answered' });
  expect(call.told.at(-1)).toMatchObject({ result: { structuredContent: { answer: given } } });
  const upstream = call.told.find(({ stage }) => stage === 'upstream');
  expect(upstream?.['waitedMs']).toBeGreaterThan(0);
});

test('a call made in a browser is answered in that browser', async () => {
  does((_args, { ask: put, signal }) => put?.(FORM, signal as AbortSignal));
  const signIn = async () => {
    const { cookie, session } = await hub.browser.signIn.withSecret({ secret: ADMIN_TOKEN, address: 'test' });
    return { cookie: `crosspoint=${cookie}`, origin: 'http://localhost', 'x-csrf-token': session.csrf };
  };
  const [mine, another] = [await signIn(), await signIn()];
  const call = await watch({}, mine, null);
  const { callId } = await call.first('started');
  const { id } = await call.first('question');
  const path = `/tools/calls/${String(callId)}/questions/${String(id)}`;
  const given = { method: 'POST', path, body: { action: 'decline' }, token: null };
  expect((await ask(hub, { ...given, token: ADMIN_TOKEN })).status).toBe(404);
  expect((await ask(hub, { ...given, headers: another })).status).toBe(404);
  expect((await ask(hub, { ...given, headers: mine })).status).toBe(204);
  await call.ended;
  expect(call.told.at(-1)).toMatchObject({
    result: { structuredContent: { answer: { action: 'decline' } } },
  });
});

test.each([
  ['accept', { type: 'result' }],
  ['decline', { type: 'error', error: { code: 'policy_denied' } }],
] as const)('what a policy wants confirmed is asked: %s', async (action, last) => {
  does(() => 'done');
  const call = await watch({ agent: 'asker' });
  const { callId } = await call.first('started');
  expect(await call.first('decision')).toMatchObject({ decision: 'confirm', policies: ['asked/1'] });
  const question = await call.first('question');
  expect(question).toMatchObject({ from: 'policy', message: 'Really? Call notes__erase?' });
  expect(await answer(callId, question['id'], { action })).toBe(204);
  await call.ended;
  expect(call.told.at(-1)).toMatchObject(last);
  expect(call.told.flatMap(({ stage }) => stage ?? [])).toContain('confirmation');
});

test('what nobody here can be asked is refused and told', async () => {
  does(async (_args, { ask: put, signal }) => [
    await put?.({ method: 'sampling/createMessage', params: {} }, signal as AbortSignal),
    await put?.({ method: 'roots/list' }, signal as AbortSignal),
  ]);
  const call = await watch();
  await call.ended;
  expect(call.told.filter(({ type }) => type === 'question_refused')).toEqual([
    { type: 'question_refused', method: 'sampling/createMessage' },
    { type: 'question_refused', method: 'roots/list' },
  ]);
});

test('whoever leaves cancels the call and withdraws what it asks', async () => {
  let answered: unknown = 'not yet';
  does(async (_args, { ask: put, signal }) => {
    answered = await put?.(FORM, signal as AbortSignal);
    if (signal?.aborted === true) throw new HubError('cancelled', 'the caller left');
  });
  const call = await watch();
  const { callId } = await call.first('started');
  const { id } = await call.first('question');
  await call.leave();
  await until(() => answered === undefined, 'the question is withdrawn');
  expect(await answer(callId, id, { action: 'decline' })).toBe(404);
  const last = async () => (await hub.recorded()).at(-1)?.event;
  await expect.poll(last).toMatchObject({ type: 'call.finished', callId, outcome: 'cancelled' });
});

test('what is wrong from the beginning is an answer like any other; so is what is wanted either way', async () => {
  const asked = { method: 'POST', path: '/tools/call', headers: { accept: 'text/event-stream' } };
  const none = await ask(hub, { ...asked, body: { agent: 'none', name: 'notes__erase' } });
  expect([none.status, none.headers.get('content-type')]).toEqual([404, 'application/json']);
  const either = { accept: 'application/json, text/event-stream' };
  const both = await ask(hub, { ...asked, headers: either, body: { agent: 'local', name: 'notes__none' } });
  expect(both.status).toBe(404);
  const hidden = await watch({ name: 'notes__none' });
  await hidden.ended;
  expect(hidden.told.at(-1)).toMatchObject({ type: 'error', error: { code: 'unknown_tool' } });
});

test('nobody has more than eight under way', async () => {
  does((_args, { signal }) => new Promise((_, reject) => signal?.addEventListener('abort', reject)));
  const calls = await Promise.all(Array.from({ length: 8 }, () => watch()));
  const body = { agent: 'local', name: 'notes__erase' };
  const headers = { accept: 'text/event-stream' };
  expect((await ask(hub, { method: 'POST', path: '/tools/call', body, headers })).status).toBe(503);
  await Promise.all(calls.map((call) => call.leave()));
  does(() => 'free again');
  await expect
    .poll(async () => {
      const response = await ask(hub, { method: 'POST', path: '/tools/call', body, headers });
      await response.text();
      return response.status;
    })
    .toBe(200);
});
