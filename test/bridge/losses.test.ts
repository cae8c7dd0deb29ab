import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../scripts/repository.js';
import { connectAgent } from '../support/agent-client.js';
import { startAskingUpstream } from '../support/asking-upstream.js';
import { eventsOf, recordsOf } from '../support/hub-events.js';
import { openRawAgent } from '../support/raw-agent.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

/** B7: what does not get across is written down. */

const keep = closeAfterEach();
const eras = ['legacy', 'modern'] as const;

async function start(connector: object): Promise<TestHub> {
  const hub = keep(await startTestHub({ config: { connectors: { up: connector } } }));
  await waitForSync(hub, 'up');
  return hub;
}

async function startPipe(): Promise<TestHub> {
  const server = join(ROOT, 'test', 'support', 'stdio', 'asking.mjs');
  return start({ command: process.execPath, args: [server] });
}

describe.each(eras)('a %s client', (era) => {
  test('B18: a question that nobody can be found for', async () => {
    const hub = await startPipe();
    const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era });
    const call = (label: string) =>
      agent.request('tools/call', { name: 'up__ask', arguments: { label, crowd: 2 } });
    await Promise.all([call('a'), call('b')]);
    const expected = { connector: 'up', method: 'elicitation/create', reason: 'unattributed' };
    expect(await eventsOf(hub, 'question.refused')).toMatchObject([expected, expected]);
  });

  test('a question that its caller did not declare', async () => {
    const hub = await startPipe();
    const client = keep(
      await connectAgent(hub, { era, capabilities: { sampling: {} }, handlers: { sampling: () => ({}) } }),
    );
    await client.callTool('up__ask', { label: 'a' });
    const [intended] = await eventsOf(hub, 'call.intended');
    expect(await recordsOf(hub, { type: 'question.refused' })).toMatchObject([
      {
        actor: { kind: 'agent', id: 'local' },
        event: { method: 'elicitation/create', reason: 'undeclared', callId: intended?.callId },
      },
    ]);
  });

  test('a question that the upstream was told not to ask', async () => {
    const upstream = keep(await startAskingUpstream('legacy'));
    const hub = await start({ url: upstream.url });
    const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era });
    // This one keeps to what it was told, so nothing was refused: the call fails in a defined way.
    const { message } = await agent.request('tools/call', { name: 'up__form', arguments: { label: 'x' } });
    expect(message).toMatchObject({ result: { isError: true } });
    expect(await eventsOf(hub, 'question.refused')).toEqual([]);
    expect(upstream.ledger).toEqual([]);
  });
});

test('a client that refuses to answer, and one that goes away: only the first is a loss', async () => {
  const upstream = keep(await startAskingUpstream('legacy'));
  const hub = await start({ url: upstream.url });
  const refusing = keep(
    await connectAgent(hub, {
      era: 'legacy',
      handlers: {
        sampling: () => {
          throw new Error('no');
        },
      },
    }),
  );
  await refusing.callTool('up__sampling', { label: 'a' }).catch(() => {});
  expect(await eventsOf(hub, 'question.refused')).toMatchObject([
    { method: 'sampling/createMessage', reason: 'unanswered' },
  ]);
  const aborter = new AbortController();
  const leaving = keep(
    await connectAgent(hub, {
      era: 'legacy',
      handlers: {
        elicitation: () => {
          aborter.abort();
          return new Promise(() => {});
        },
      },
    }),
  );
  await leaving.callTool('up__form', { label: 'b' }, { signal: aborter.signal }).catch(() => {});
  await expect.poll(async () => (await eventsOf(hub, 'call.finished')).length).toBe(2);
  expect(await eventsOf(hub, 'question.refused')).toHaveLength(1);
});

test('an upstream that keeps asking does not fill the log', async () => {
  const hub = await startPipe();
  const client = keep(await connectAgent(hub, { era: 'legacy' }));
  for (let n = 0; n < 15; n++) await client.callTool('up__ask', { label: String(n) });
  expect(await eventsOf(hub, 'question.refused')).toHaveLength(10);
});

test('content that an old client has no words for becomes text, and that is written down', async () => {
  const upstream = keep(
    await startUpstream({
      revision: '2025-11-25',
      tools: [{ name: 'sing', inputSchema: { type: 'object' } }],
      call: () => ({
        content: [
          { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
          { type: 'resource_link', name: 'song', uri: 'test://song' },
        ],
      }),
    }),
  );
  const hub = await start({ url: upstream.url });
  const sing = async (revision: string) => {
    const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era: 'legacy', revision });
    return (await agent.request('tools/call', { name: 'up__sing', arguments: {} })).message;
  };
  expect(await sing('2025-11-25')).toMatchObject({ result: { content: [{ type: 'audio' }, {}] } });
  expect(await eventsOf(hub, 'answer.reduced')).toEqual([]);
  expect(await sing('2024-11-05')).toMatchObject({
    result: { content: [{ type: 'text' }, { type: 'text' }] },
  });
  expect(await eventsOf(hub, 'answer.reduced')).toMatchObject([
    {
      connector: 'up',
      exposedName: 'up__sing',
      method: 'tools/call',
      revision: '2024-11-05',
      lost: ['audio', 'resource_link'],
    },
  ]);
});

test('default values of a form that an old client’s revision cannot carry are left out, and that is written down', async () => {
  const upstream = keep(await startAskingUpstream('modern'));
  const hub = await start({ url: upstream.url });
  const forms: unknown[] = [];
  const connectAs = async (era: '2025-06-18' | '2025-11-25') =>
    keep(
      await connectAgent(hub, {
        era,
        handlers: {
          elicitation: ({ params }) => {
            forms.push(params?.['requestedSchema']);
            return { action: 'accept', content: { word: 'yes' } };
          },
        },
      }),
    );
  const current = await connectAs('2025-11-25');
  await current.callTool('up__form', { label: 'a' });
  expect(await eventsOf(hub, 'question.reduced')).toEqual([]);
  const old = await connectAs('2025-06-18');
  await old.callTool('up__form', { label: 'b' });
  await old.readResource('test://asking');
  expect(forms).toMatchObject([
    { properties: { colour: { default: 'red' } } },
    { properties: { colour: { type: 'string' } } },
    {},
  ]);
  expect(forms[1]).not.toHaveProperty('properties.colour.default');
  const expected = {
    type: 'question.reduced',
    connector: 'up',
    method: 'elicitation/create',
    revision: '2025-06-18',
    lost: ['default'],
  };
  expect(await eventsOf(hub, 'question.reduced')).toEqual([expected, expected]);
});

test('progress and log messages that come while the caller is away are counted in one event', async () => {
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  const upstream = keep(
    await startAskingUpstream('legacy', {
      describe: { info: { name: 'busy', version: '1' }, capabilities: { tools: {}, logging: {} } },
      handlers: {
        'tools/call': async (request) => {
          const form = { message: 'm', requestedSchema: { type: 'object', properties: {} } };
          void request.askClient({ a: { method: 'elicitation/create', params: form } }).catch(() => {});
          await gate;
          for (const progress of [1, 2, 3]) request.progress({ progress });
          request.log({ level: 'error', data: 'x' });
          return { content: [] };
        },
      },
    }),
  );
  const hub = await start({ url: upstream.url });
  const capabilities = { elicitation: { form: {} } };
  const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era: 'modern', capabilities });
  const params = {
    name: 'up__form',
    arguments: { label: 'x' },
    _meta: { progressToken: 1, 'io.modelcontextprotocol/logLevel': 'info' },
  };
  const { message } = await agent.request('tools/call', params);
  const { requestState } = (message as unknown as { result: { requestState: string } }).result;
  expect(await eventsOf(hub, 'progress.dropped')).toEqual([]);
  open();
  await expect.poll(() => eventsOf(hub, 'progress.dropped')).toHaveLength(1);
  const done = await agent.request('tools/call', { ...params, requestState });
  expect(done.message).toMatchObject({ result: { resultType: 'complete' } });
  const [intended] = await eventsOf(hub, 'call.intended');
  expect(await recordsOf(hub, { type: 'progress.dropped' })).toMatchObject([
    {
      actor: { kind: 'agent', id: 'local' },
      event: { type: 'progress.dropped', connector: 'up', callId: intended?.callId, count: 4 },
    },
  ]);
});
