import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../scripts/repository.js';
import type { InputHandlers } from '../../src/mcp/client/index.js';
import { connectAgent } from '../support/agent-client.js';
import { eventsOf } from '../support/hub-events.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream, type UpstreamScript } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

/** B13–B18: a question that does not say which call it belongs to goes to the right caller or to nobody. */

const keep = closeAfterEach();
const KEYS = { ada: 'ada-agent-key-0123456789abcdef', bob: 'bob-agent-key-0123456789abcdef' };
const SERVER = join(ROOT, 'test', 'support', 'stdio', 'asking.mjs');
const TELLING = join(ROOT, 'test', 'support', 'stdio', 'telling.mjs');

interface Told {
  readonly label: string;
  readonly answer: object;
  readonly pid: number;
}

async function start(connector: object): Promise<TestHub> {
  const hub = keep(
    await startTestHub({
      config: {
        connectors: { pipe: connector },
        agents: { ada: { keys: [KEYS.ada] }, bob: { keys: [KEYS.bob] } },
        policies: ['all.cedar'],
      },
      files: { 'all.cedar': 'permit(principal, action, resource);' },
    }),
  );
  await waitForSync(hub, 'pipe');
  return hub;
}

const stdio = (isolation: string, server = SERVER) =>
  start({ command: process.execPath, args: [server], isolation });

async function connectAs(hub: TestHub, who: keyof typeof KEYS, era: 'legacy' | 'modern', able = true) {
  const asked: unknown[] = [];
  const handlers: InputHandlers = {
    elicitation: ({ params }) => {
      asked.push(params?.['message']);
      return { action: 'accept', content: { word: who } };
    },
  };
  const client = keep(await connectAgent(hub, { era, key: KEYS[who], ...(able && { handlers }) }));
  return {
    asked,
    call: async (label: string, crowd = 1, signal?: AbortSignal): Promise<Told> => {
      const { content } = await client.callTool('pipe__ask', { label, crowd }, signal && { signal });
      return JSON.parse(String(content[0]?.['text'])) as Told;
    },
  };
}

const ADA = { action: 'accept', content: { word: 'ada' } };
const BOB = { action: 'accept', content: { word: 'bob' } };
const NOBODY = { action: 'cancel' };

describe.each(['legacy', 'modern'] as const)('over a pipe, a %s client', (era) => {
  test('that makes the only call is asked', async () => {
    const ada = await connectAs(await stdio('shared'), 'ada', era);
    expect(await ada.call('one')).toMatchObject({ label: 'one', answer: ADA });
    expect(ada.asked).toEqual(['pipe: form for one']);
  });

  test('B18: with two calls under way nobody is asked, because it cannot be told who', async () => {
    const hub = await stdio('shared');
    const [ada, bob] = [await connectAs(hub, 'ada', era), await connectAs(hub, 'bob', era)];
    const [first, second] = await Promise.all([ada.call('a', 2), bob.call('b', 2)]);
    expect([first, second]).toMatchObject([
      { label: 'a', answer: NOBODY },
      { label: 'b', answer: NOBODY },
    ]);
    expect([ada.asked, bob.asked]).toEqual([[], []]);
  });

  test.each(['per_principal', 'per_session', 'per_call'])(
    'B13: with %s each has a process of its own, and each is asked its own question',
    async (isolation) => {
      const hub = await stdio(isolation);
      const [ada, bob] = [await connectAs(hub, 'ada', era), await connectAs(hub, 'bob', era)];
      const [first, second] = await Promise.all([ada.call('a'), bob.call('b')]);
      expect([first, second]).toMatchObject([
        { label: 'a', answer: ADA },
        { label: 'b', answer: BOB },
      ]);
      expect(first.pid).not.toBe(second.pid);
    },
  );

  test('that cannot be asked is not, though the process was told that somebody may be', async () => {
    const ada = await connectAs(await stdio('shared'), 'ada', era, false);
    expect(await ada.call('one')).toMatchObject({ answer: NOBODY });
  });
});

describe('whose process it is', () => {
  const pids = async (isolation: string, era: 'legacy' | 'modern'): Promise<number[]> => {
    const hub = await stdio(isolation);
    const callers = [
      await connectAs(hub, 'ada', era),
      await connectAs(hub, 'ada', era),
      await connectAs(hub, 'bob', era),
    ];
    const seen: number[] = [];
    for (const { call } of callers) for (const label of ['1', '2']) seen.push((await call(label)).pid);
    const known = [...new Set(seen)];
    return seen.map((pid) => known.indexOf(pid));
  };

  test.each([
    ['shared', 'legacy', [0, 0, 0, 0, 0, 0]],
    ['per_principal', 'legacy', [0, 0, 0, 0, 1, 1]],
    ['per_session', 'legacy', [0, 0, 1, 1, 2, 2]],
    // Without a session of its own a client is known by who it is.
    ['per_session', 'modern', [0, 0, 0, 0, 1, 1]],
    ['per_call', 'legacy', [0, 1, 2, 3, 4, 5]],
  ] as const)('%s, %s clients: two of one agent, one of another', async (isolation, era, expected) => {
    expect(await pids(isolation, era)).toEqual(expected);
  });
});

describe('over the stream that belongs to no request', () => {
  const OVERTAKEN = 0;

  /** Asks on the GET stream of the session, as many servers do. */
  async function startRemote(isolation: string) {
    const streams = new Map<string, ServerResponse>();
    const waiting = new Map<string, (answer: object) => void>();
    const crowd: (() => void)[] = [];
    let asked = 0;
    let overtaken: string | undefined;
    const told = (label: string, answer: unknown) => ({
      content: [{ type: 'text', text: JSON.stringify({ label, answer, pid: 0 }) }],
    });
    const script: UpstreamScript = {
      revision: '2025-06-18',
      tools: [{ name: 'ask', inputSchema: { type: 'object' } }],
      intercept: ({ httpMethod, headers, rpc }, response) => {
        if (httpMethod === 'GET') {
          response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
          streams.set(String(headers['mcp-session-id']), response);
          return true;
        }
        if (rpc.method !== undefined || rpc.id === undefined) return false;
        waiting.get(rpc.id as string)?.((rpc as { result?: object }).result ?? {});
        response.writeHead(202).end();
        return true;
      },
      call: async (_name, args, { headers }) => {
        const { label, crowd: wanted } = args as { label: string; crowd: number };
        await expect.poll(() => streams.has(String(headers['mcp-session-id']))).toBe(true);
        // Its question comes later than its answer, in the middle of the next call.
        if (wanted === OVERTAKEN) {
          overtaken = label;
          return told(label, {});
        }
        await new Promise<void>((resolve) => {
          crowd.push(resolve);
          if (crowd.length >= wanted) for (const go of crowd) go();
        });
        const id = `q${++asked}`;
        const params = { message: overtaken ?? label, requestedSchema: { type: 'object', properties: {} } };
        const question = JSON.stringify({ jsonrpc: '2.0', id, method: 'elicitation/create', params });
        const answer = await new Promise((resolve) => {
          waiting.set(id, resolve);
          streams.get(String(headers['mcp-session-id']))?.write(`data: ${question}\n\n`);
        });
        return told(label, answer);
      },
    };
    const upstream = keep(await startUpstream(script));
    return start({ url: upstream.url, isolation });
  }

  test.each(['legacy', 'modern'] as const)(
    'B13: a %s client is asked when it is the only one',
    async (era) => {
      const hub = await startRemote('per_principal');
      const [ada, bob] = [await connectAs(hub, 'ada', era), await connectAs(hub, 'bob', era)];
      const both = await Promise.all([ada.call('a', 2), bob.call('b', 2)]);
      expect(both).toMatchObject([
        { label: 'a', answer: ADA },
        { label: 'b', answer: BOB },
      ]);
    },
  );

  test.each(['legacy', 'modern'] as const)(
    'B18: a question that the answer to its call has overtaken does not reach the next caller, a %s client',
    async (era) => {
      const hub = await startRemote('shared');
      const [ada, bob] = [await connectAs(hub, 'ada', era), await connectAs(hub, 'bob', era)];
      await ada.call('a', OVERTAKEN);
      expect(await bob.call('b')).toMatchObject({ label: 'b', answer: NOBODY });
      expect([ada.asked, bob.asked]).toEqual([[], []]);
    },
  );

  test('B18: in a session that two use at once nobody is asked', async () => {
    const hub = await startRemote('shared');
    const [ada, bob] = [await connectAs(hub, 'ada', 'legacy'), await connectAs(hub, 'bob', 'modern')];
    const both = await Promise.all([ada.call('a', 2), bob.call('b', 2)]);
    expect(both).toMatchObject([{ answer: NOBODY }, { answer: NOBODY }]);
    expect([ada.asked, bob.asked]).toEqual([[], []]);
  });
});

test('B41: a conversation that is a session’s own ends with it', async () => {
  const hub = await stdio('per_session');
  const client = await connectAgent(hub, { era: 'legacy', key: KEYS.ada });
  const other = await connectAs(hub, 'ada', 'legacy');
  const { content } = await client.callTool('pipe__ask', { label: 'one' });
  const { pid } = JSON.parse(String(content[0]?.['text'])) as Told;
  const { pid: kept } = await other.call('two');
  await client.close();
  const runs = (process_: number): boolean => existsSync(`/proc/${process_}`);
  await expect.poll(() => runs(pid), { timeout: 10_000 }).toBe(false);
  expect(runs(kept)).toBe(true);
});

test('a question about a call that was given up does not reach whoever calls next', async () => {
  const hub = await stdio('shared');
  const [ada, bob] = [await connectAs(hub, 'ada', 'legacy'), await connectAs(hub, 'bob', 'legacy')];
  const aborter = new AbortController();
  // The process asks about both as soon as there are two calls; one of them is gone by then.
  const given = ada.call('a', 2, aborter.signal);
  given.catch(() => {});
  await expect.poll(async () => (await eventsOf(hub, 'call.intended')).length).toBe(1);
  aborter.abort();
  await expect.poll(async () => (await eventsOf(hub, 'call.finished')).length).toBe(1);
  expect(await bob.call('b', 2)).toMatchObject({ label: 'b', answer: NOBODY });
  expect([ada.asked, bob.asked]).toEqual([[], []]);
});

test('what is suggested for an argument comes from the conversation of the session too', async () => {
  const hub = await stdio('per_session', TELLING);
  const handlers: InputHandlers = { elicitation: () => ({ action: 'decline' }) };
  for (const [who, able] of [
    ['ada', {}],
    ['ada', { handlers }],
    ['bob', {}],
  ] as const) {
    const client = keep(await connectAgent(hub, { era: 'legacy', key: KEYS[who], ...able }));
    const { content } = await client.callTool('pipe__whose');
    const { pid } = JSON.parse(String(content[0]?.['text'])) as Told;
    const ref = { type: 'ref/prompt', name: 'pipe__p' };
    const suggested = await client.request('completion/complete', {
      ref,
      argument: { name: 'a', value: '' },
    });
    expect(suggested).toMatchObject({ completion: { values: [String(pid)] } });
  }
});

describe.each(['legacy', 'modern'] as const)('a resource that a %s client subscribed to', (era) => {
  test.each([
    ['that cannot be asked', {}],
    ['that can be asked', { handlers: { elicitation: () => ({ action: 'decline' }) } }],
  ])('is watched in the conversation of the session %s', async (_, able) => {
    const hub = await stdio('per_session', TELLING);
    const client = keep(await connectAgent(hub, { era, key: KEYS.ada, ...able }));
    const heard: unknown[] = [];
    const filter = { resourceSubscriptions: ['tell://state'] };
    await client.subscribe(filter, ({ method, params }) => heard.push([method, params?.['uri']]));
    const { content } = await client.callTool('pipe__touch');
    expect(JSON.parse(String(content[0]?.['text']))).toEqual({ isWatched: true });
    await expect.poll(() => heard).toEqual([['notifications/resources/updated', 'tell://state']]);
    const other = keep(await connectAgent(hub, { era: 'legacy', key: KEYS.bob, ...able }));
    const { content: told } = await other.callTool('pipe__touch');
    expect(JSON.parse(String(told[0]?.['text']))).toEqual({ isWatched: false });
  });
});

describe('B21: a log message that says nothing of its call', () => {
  async function hearing(hub: TestHub) {
    const [ada, bob] = [
      keep(await connectAgent(hub, { era: 'legacy', key: KEYS.ada })),
      keep(await connectAgent(hub, { era: 'legacy', key: KEYS.bob })),
    ];
    await bob.setLogLevel('debug');
    const heard: unknown[] = [];
    const intended = async (count: number): Promise<void> => {
      await expect.poll(async () => (await eventsOf(hub, 'call.intended')).length).toBe(count);
    };
    return { ada, bob, heard, intended, onLog: ({ data }: { data: unknown }) => heard.push(data) };
  }

  test('goes to the only one who calls', async () => {
    const { bob, heard, onLog } = await hearing(await stdio('shared', TELLING));
    const held = bob.callTool('pipe__hold', { label: 'of bob' }, { onLog });
    await expect.poll(() => heard).toEqual(['of bob']);
    await bob.callTool('pipe__let_go');
    await held;
  });

  test('goes to nobody while another agent calls too', async () => {
    const { ada, bob, heard, intended, onLog } = await hearing(await stdio('shared', TELLING));
    const first = bob.callTool('pipe__hold', { label: 'of bob' }, { onLog });
    await expect.poll(() => heard).toEqual(['of bob']);
    const second = ada.callTool('pipe__hold', { label: 'of ada' });
    await intended(2);
    await ada.callTool('pipe__let_go');
    await Promise.all([first, second]);
    expect(heard).toEqual(['of bob']);
  });

  test('goes to nobody after another agent gave up a call that may still go on', async () => {
    const { ada, bob, heard, onLog } = await hearing(await stdio('shared', TELLING));
    await ada.setLogLevel('debug');
    const own: unknown[] = [];
    const aborter = new AbortController();
    const given = ada.callTool(
      'pipe__hold',
      { label: 'of ada' },
      { signal: aborter.signal, onLog: ({ data }) => own.push(data) },
    );
    given.catch(() => {});
    await expect.poll(() => own).toEqual(['of ada']);
    aborter.abort();
    await given.catch(() => {});
    await bob.callTool('pipe__let_go', {}, { onLog });
    expect(heard).toEqual([]);
  });
});
