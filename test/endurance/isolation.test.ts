import { describe, expect, test, vi } from 'vitest';
import { admin } from '../support/admin.js';
import { until } from '../support/http/until.js';
import { eventsOf } from '../support/hub-events.js';
import { openRawAgent } from '../support/raw-agent.js';
import { requestsOf } from '../support/remote-connector.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync } from '../support/start-hub.js';

/** One connector's trouble is its own, and one agent's appetite too. */

const keep = closeAfterEach();
const TOOLS = [{ name: 't', inputSchema: { type: 'object' } }];
const FINE = { content: [{ type: 'text', text: 'fine' }] };
const never = (): Promise<undefined> => new Promise(() => {});
const PATIENT = { timeout: 20_000, interval: 20 };
const POLICY = { 'all.cedar': 'permit(principal, action, resource);' };

interface Setup {
  readonly connector?: object;
  readonly config?: object;
}

/** `bad` does what the test says, `good` answers at once. */
async function setUp({ connector, config }: Setup = {}) {
  const bad = keep(await startUpstream({ tools: TOOLS, call: () => FINE }));
  const good = keep(await startUpstream({ tools: TOOLS, call: () => FINE }));
  const hub = keep(
    await startTestHub({
      config: {
        connectors: { bad: { url: bad.url, retries: 0, ...connector }, good: { url: good.url } },
        policies: ['all.cedar'],
        agents: {
          greedy: { keys: ['cpk_greedy_0123456789abcdef'] },
          modest: { keys: ['cpk_modest_0123456789abcdef'] },
        },
        ...config,
      },
      files: POLICY,
    }),
  );
  await waitForSync(hub, 'bad');
  await waitForSync(hub, 'good');
  const open = async (key: string) => {
    const agent = await openRawAgent({ url: `${hub.url}/mcp`, key, era: 'modern' });
    return (name: string) => agent.request('tools/call', { name, arguments: {} });
  };
  return { bad, good, hub, open, call: await open(hub.localKey) };
}

const healthOf = async (hub: Parameters<typeof admin>[0]) =>
  (await admin(hub, 'GET', '/connectors/bad/health')).body as {
    state: string;
    traffic: { breaker: string; running: number; waiting: number };
  };

async function readMetric(hub: { url: string; adminToken: string }, series: string): Promise<number> {
  const headers = { authorization: `Bearer ${hub.adminToken}` };
  const text = await (await fetch(`${hub.url}/metrics`, { headers })).text();
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1) ?? '0');
}

describe('breaker', () => {
  test('B2.14: after five failures calls fail at once and say when to come back; a sync tries and closes it', async () => {
    const { bad, hub, call } = await setUp();
    bad.script = {
      ...bad.script,
      intercept: (_request, response) => response.writeHead(503).end() !== undefined,
    };
    for (const _ of [1, 2, 3, 4, 5])
      expect(JSON.stringify((await call('bad__t')).message)).toMatch(/answered with an error \(HTTP 503\)/);
    const before = bad.seen.length;
    const startedAt = performance.now();
    const refused = await Promise.all(Array.from({ length: 20 }, () => call('bad__t')));
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    for (const { message } of refused)
      expect(JSON.stringify(message)).toMatch(/connector bad does not answer \(5 failures in a row\)/);
    expect(bad.seen).toHaveLength(before);
    expect(await healthOf(hub)).toMatchObject({
      state: 'unhealthy',
      traffic: { breaker: 'open', running: 0 },
    });
    expect(await eventsOf(hub, 'connector.breaker_opened')).toMatchObject([
      { connector: 'bad', failures: 5 },
    ]);
    expect(JSON.stringify((await call('good__t')).message)).toContain('fine');

    bad.script = { tools: TOOLS, call: () => FINE };
    expect((await admin(hub, 'POST', '/connectors/bad/sync')).status).toBe(200);
    expect(JSON.stringify((await call('bad__t')).message)).toContain('fine');
    expect(await healthOf(hub)).toMatchObject({ state: 'healthy', traffic: { breaker: 'closed' } });
    expect(await eventsOf(hub, 'connector.breaker_closed')).toMatchObject([{ connector: 'bad' }]);
  });

  test('what a tool or its server answers is no failure, however often', async () => {
    const { bad, hub, call } = await setUp();
    bad.script = {
      ...bad.script,
      call: () => ({ content: [{ type: 'text', text: 'no' }], isError: true }),
    };
    for (let n = 0; n < 8; n++) expect(JSON.stringify((await call('bad__t')).message)).toContain('no');
    bad.script = {
      ...bad.script,
      intercept: ({ rpc }, response) => {
        if (rpc.method !== 'tools/call') return false;
        const error = { code: -32_602, message: 'never heard of it' };
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id: rpc.id, error }));
        return true;
      },
    };
    for (let n = 0; n < 8; n++)
      expect(JSON.stringify((await call('bad__t')).message)).toContain('never heard');
    expect((await healthOf(hub)).traffic.breaker).toBe('closed');
  });

  test('those who wait for a turn at one that hangs are told as soon as that is known', async () => {
    const { bad, call } = await setUp({
      connector: { limits: { concurrency: 2, breakerFailures: 2 }, timeouts: { requestMs: 400 } },
    });
    bad.script = { ...bad.script, call: never };
    const hanging = [call('bad__t'), call('bad__t')];
    await until(() => requestsOf(bad.seen, 'tools/call').length === 2, 'two calls at the upstream');
    const answers = await Promise.all([...hanging, ...Array.from({ length: 18 }, () => call('bad__t'))]);
    const texts = answers.map(({ message }) => JSON.stringify(message));
    expect(texts.filter((text) => text.includes('did not answer in time')).length).toBeGreaterThanOrEqual(2);
    expect(texts.filter((text) => text.includes('does not answer')).length).toBeGreaterThanOrEqual(14);
  });
});

describe('turns', () => {
  test('an agent that asks for much does not keep others from their turn', async () => {
    const { bad, open } = await setUp({ connector: { limits: { concurrency: 2, queue: 20 } } });
    const order: string[] = [];
    const waiting: (() => void)[] = [];
    bad.script = {
      ...bad.script,
      call: () => new Promise((resolve) => waiting.push(() => resolve(FINE))),
    };
    const greedy = await open('cpk_greedy_0123456789abcdef');
    const modest = await open('cpk_modest_0123456789abcdef');
    const all: Promise<unknown>[] = [];
    const ask = (call: typeof greedy, who: string) =>
      all.push(
        call('bad__t').then(({ message }) =>
          order.push(message?.['error'] === undefined ? who : `${who} refused`),
        ),
      );
    for (let n = 0; n < 22; n++) ask(greedy, 'greedy');
    await until(() => waiting.length === 2, 'two calls at the upstream');
    // The queue is full of the one by now; there is room for the other all the same.
    await until(() => bad.seen.length > 0, 'requests');
    for (let n = 0; n < 3; n++) ask(modest, 'modest');
    await until(() => order.filter((who) => who === 'greedy refused').length === 3, 'room for the other');
    const serve = setInterval(() => waiting.shift()?.(), 10);
    await Promise.all(all);
    clearInterval(serve);
    expect(order.filter((who) => who === 'modest')).toHaveLength(3);
    expect(order.filter((who) => !who.endsWith('refused')).indexOf('modest')).toBeLessThan(6);
    expect(order.lastIndexOf('modest')).toBeLessThan(order.length - 8);
  });
});

describe('a connector that turns many away', () => {
  test('calls for it are refused before they are read, others are not concerned, and who has less waiting gets in', async () => {
    const { bad, good, hub, open, call } = await setUp({
      connector: { limits: { concurrency: 2, queue: 2 }, timeouts: { requestMs: 60_000, totalMs: 60_000 } },
    });
    const waiting: (() => void)[] = [];
    bad.script = { ...bad.script, call: () => new Promise((resolve) => waiting.push(() => resolve(FINE))) };
    const greedy = await open('cpk_greedy_0123456789abcdef');
    const modest = await open('cpk_modest_0123456789abcdef');
    const accepted = Array.from({ length: 4 }, () => greedy('bad__t'));
    await vi.waitFor(
      async () => expect((await healthOf(hub)).traffic).toMatchObject({ running: 2, waiting: 2 }),
      PATIENT,
    );
    const refused: Awaited<ReturnType<typeof greedy>>[] = [];
    const shed = () => readMetric(hub, 'crosspoint_calls_shed_total{connector="bad"}');
    await vi.waitFor(async () => {
      refused.push(...(await Promise.all(Array.from({ length: 50 }, () => greedy('bad__t')))));
      expect(await shed()).toBeGreaterThan(0);
    }, PATIENT);
    expect(new Set(refused.map(({ status, headers }) => `${status} ${headers.get('retry-after')}`))).toEqual(
      new Set(['503 1']),
    );
    const codes = refused.map(({ message }) => (message?.['error'] as { code: number } | undefined)?.code);
    expect(new Set(codes)).toEqual(new Set([-31_053]));
    // Each was either recorded or counted.
    const recorded = await eventsOf(hub, 'call.refused');
    expect(recorded.length + (await shed())).toBe(refused.length);
    expect(recorded[0]).toMatchObject({ connector: 'bad', error: 'overloaded' });

    expect(JSON.stringify((await call('good__t')).message)).toContain('fine');
    expect(requestsOf(good.seen, 'tools/call')).toHaveLength(1);
    const served = modest('bad__t');
    await vi.waitFor(async () => expect(await eventsOf(hub, 'call.intended')).toHaveLength(6), PATIENT);
    const serve = setInterval(() => waiting.shift()?.(), 5);
    expect(JSON.stringify((await served).message)).toContain('fine');
    const answers = (await Promise.all(accepted)).map(({ message }) => JSON.stringify(message));
    clearInterval(serve);
    expect(answers.filter((text) => text.includes('fine'))).toHaveLength(3);
    expect(answers.filter((text) => text.includes('others wait for their first turn'))).toHaveLength(1);
    expect(requestsOf(bad.seen, 'tools/call')).toHaveLength(4);
  });
});

describe('the hub as a whole', () => {
  test('more calls than it may have under way are refused with 503 at once; lists and other requests go on', async () => {
    const { bad, hub, call } = await setUp({ config: { limits: { inFlight: 4 } } });
    const waiting: (() => void)[] = [];
    bad.script = { ...bad.script, call: () => new Promise((resolve) => waiting.push(() => resolve(FINE))) };
    const running = Array.from({ length: 4 }, () => call('bad__t'));
    await until(() => waiting.length === 4, 'four calls at the upstream');
    const { status, headers, message } = await call('good__t');
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    expect(message).toMatchObject({ id: expect.any(Number) as number, error: { code: -31_053 } });
    const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era: 'legacy' });
    expect((await agent.request('tools/list')).message).toHaveProperty('result');
    expect((await agent.request('ping')).message).toHaveProperty('result');
    for (const finish of waiting) finish();
    await Promise.all(running);
    expect((await call('good__t')).status).toBe(200);
    expect(requestsOf(bad.seen, 'tools/call')).toHaveLength(4);
  });

  test('F45: one that hangs leaves another as quick as it was', async () => {
    const { bad, call } = await setUp({
      connector: {
        limits: { concurrency: 50, breakerFailures: 0 },
        timeouts: { requestMs: 60_000, totalMs: 60_000 },
      },
    });
    const measure = async (): Promise<number> => {
      const times: number[] = [];
      for (let n = 0; n < 60; n++) {
        const startedAt = performance.now();
        await call('good__t');
        times.push(performance.now() - startedAt);
      }
      return times.toSorted((a, b) => a - b)[30] ?? 0;
    };
    await measure();
    const alone = await measure();
    bad.script = { ...bad.script, call: never };
    const hanging = Array.from({ length: 50 }, () => call('bad__t').catch(() => undefined));
    await until(() => requestsOf(bad.seen, 'tools/call').length === 50, 'calls that hang');
    const beside = await measure();
    // The machine is shared; what would be wrong is waiting for the other, which is thousands of times slower.
    expect(beside).toBeLessThan(alone * 2.5 + 5);
    await bad.close();
    await Promise.all(hanging);
  });
});
