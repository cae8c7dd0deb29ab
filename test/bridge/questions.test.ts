import { describe, expect, test } from 'vitest';
import type { InputHandlers, McpClient } from '../../src/mcp/client/index.js';
import type { ClientCapabilities } from '../../src/mcp/model/index.js';
import { connectAgent } from '../support/agent-client.js';
import { startAskingUpstream, type AskingUpstream } from '../support/asking-upstream.js';
import { until } from '../support/http/until.js';
import { eventsOf } from '../support/hub-events.js';
import { closeAfterEach } from '../support/resources.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

/** What an upstream asks in the course of a call reaches the one who made the call, whichever eras the two speak. */

const keep = closeAfterEach();
const KEYS = { ada: 'ada-agent-key-0123456789abcdef', bob: 'bob-agent-key-0123456789abcdef' };
const POLICY = 'permit(principal, action, resource);';

type Era = 'legacy' | 'modern';

interface Started {
  readonly hub: TestHub;
  readonly upstream: AskingUpstream;
  connect(
    era: Era,
    who: keyof typeof KEYS,
    handlers: InputHandlers,
    capabilities?: ClientCapabilities,
  ): Promise<McpClient>;
}

async function start(upstreamEra: Era, connector: object = {}): Promise<Started> {
  const upstream = keep(await startAskingUpstream(upstreamEra));
  const hub = keep(
    await startTestHub({
      config: {
        connectors: { asking: { url: upstream.url, ...connector } },
        agents: { ada: { keys: [KEYS.ada] }, bob: { keys: [KEYS.bob] } },
        policies: ['all.cedar'],
      },
      files: { 'all.cedar': POLICY },
    }),
  );
  await waitForSync(hub, 'asking');
  return {
    hub,
    upstream,
    connect: async (era, who, handlers, capabilities) =>
      keep(
        await connectAgent(hub, {
          era,
          key: KEYS[who],
          handlers,
          formDefaults: false,
          ...(capabilities && { capabilities }),
        }),
      ),
  };
}

/** Answers everything in somebody's name. */
function answering(name: string, asked: unknown[] = []): InputHandlers {
  return {
    elicitation: ({ params }) => {
      asked.push(params?.['message']);
      return params?.['mode'] === 'url'
        ? { action: 'accept' }
        : { action: 'accept', content: { word: name } };
    },
    sampling: ({ params }) => {
      asked.push(params?.['messages']);
      return { role: 'assistant', model: 'm', content: { type: 'text', text: name } };
    },
    roots: () => ({ roots: [{ uri: `file:///${name}` }] }),
  };
}

const EVERYTHING: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: { listChanged: true },
};

const eras = ['legacy', 'modern'] as const;
const cells = eras.flatMap((client) => eras.map((upstream) => [client, upstream] as const));

describe.each(cells)('a %s client and a %s upstream', (clientEra, upstreamEra) => {
  test.each([
    ['form', { action: 'accept', content: { word: 'NAME' } }],
    ['url', { action: 'accept' }],
    ['sampling', { role: 'assistant', model: 'm', content: { type: 'text', text: 'NAME' } }],
    ['roots', { roots: [{ uri: 'file:///NAME' }] }],
  ])('%s: two callers at once each get their own questions and answers', async (tool, expected) => {
    const { hub, upstream, connect } = await start(upstreamEra);
    const call = async (who: keyof typeof KEYS): Promise<void> => {
      const asked: unknown[] = [];
      const client = await connect(clientEra, who, answering(who, asked), EVERYTHING);
      const result = await client.callTool(`asking__${tool}`, { label: who });
      const text = JSON.stringify([expected]).replaceAll('NAME', who);
      expect(result).toMatchObject({ content: [{ type: 'text', text }] });
      expect(JSON.stringify(asked)).not.toContain(who === 'ada' ? 'bob' : 'ada');
    };
    await Promise.all([call('ada'), call('bob')]);
    expect(upstream.ledger.toSorted()).toEqual(['ada', 'bob']);
    expect(await eventsOf(hub, 'call.intended')).toHaveLength(2);
    expect(await eventsOf(hub, 'call.finished')).toMatchObject([{ outcome: 'ok' }, { outcome: 'ok' }]);
    expect(hub.running.hub.held.size).toBe(0);
  });

  test.each(['javascript:alert(1)', 'file:///etc/passwd', 'no address'])(
    'U-15: nobody is sent to %s',
    async (address) => {
      const { connect } = await start(upstreamEra);
      const asked: unknown[] = [];
      const client = await connect(clientEra, 'ada', answering('ada', asked), EVERYTHING);
      const call = async (label: string) => JSON.stringify(await client.callTool('asking__page', { label }));
      expect([await call(address), asked]).toEqual([expect.not.stringContaining('accept'), []]);
      expect(await call('http://a.example/')).toContain('accept');
      expect(asked).toHaveLength(1);
    },
  );

  test.each([
    ['allServers', undefined, undefined],
    ['thisServer', undefined, 'thisServer'],
    ['none', 'none', 'none'],
  ])('G17: an upstream that wants the context %s', async (wanted, together, alone) => {
    const { hub, connect } = await start(upstreamEra);
    const asked: unknown[] = [];
    const handlers: InputHandlers = {
      sampling: ({ params }) => {
        asked.push(params?.['includeContext']);
        return { role: 'assistant', model: 'm', content: { type: 'text', text: 'x' } };
      },
    };
    await (await connect(clientEra, 'ada', handlers)).callTool('asking__curious', { label: wanted });
    const path = '/connectors/asking/mcp';
    const own = keep(await connectAgent(hub, { era: clientEra, key: KEYS.ada, handlers, path }));
    await own.callTool('curious', { label: wanted });
    expect(asked).toEqual([together, alone]);
  });

  test('prompts and resources may ask too', async () => {
    const { upstream, connect } = await start(upstreamEra);
    const client = await connect(clientEra, 'ada', answering('ada'), EVERYTHING);
    const words = JSON.stringify([{ action: 'accept', content: { word: 'ada' } }]);
    expect(await client.getPrompt('asking__asking', { label: 'p' })).toMatchObject({
      messages: [{ content: { text: words } }],
    });
    expect(await client.readResource('test://asking')).toMatchObject({ contents: [{ text: words }] });
    expect(upstream.ledger).toEqual(['p', 'test://asking']);
  });

  test('several rounds, and several questions at once', async () => {
    const { hub, connect, upstream } = await start(upstreamEra);
    const client = await connect(clientEra, 'ada', answering('ada'), EVERYTHING);
    const three = await client.callTool('asking__form', { label: 'three', rounds: 3 });
    expect(JSON.parse(String(three.content[0]?.['text']))).toHaveLength(3);
    const both = await client.callTool('asking__both', { label: 'both' });
    expect(JSON.parse(String(both.content[0]?.['text']))).toMatchObject({
      a: { action: 'accept' },
      b: { role: 'assistant' },
    });
    const state = await client.callTool('asking__state', { label: 'state' });
    expect(JSON.parse(String(state.content[0]?.['text']))).toMatchObject({ word: { action: 'accept' } });
    expect(upstream.ledger).toEqual(['three', 'both', 'state']);
    expect(await eventsOf(hub, 'call.intended')).toHaveLength(3);
    expect(await eventsOf(hub, 'call.finished')).toHaveLength(3);
  });

  test.each(['decline', 'cancel'])('%s is passed on', async (action) => {
    const { connect } = await start(upstreamEra);
    const client = await connect(clientEra, 'ada', { elicitation: () => ({ action }) });
    const result = await client.callTool('asking__form', { label: 'no' });
    expect(result).toMatchObject({ content: [{ text: JSON.stringify([{ action }]) }] });
  });

  test('the upstream is told what this very client can do, and asks no more than that', async () => {
    const { connect, upstream } = await start(upstreamEra);
    const one = await connect(clientEra, 'ada', answering('ada'), { elicitation: {} });
    const other = await connect(clientEra, 'ada', answering('ada'), { sampling: {} });
    const none = await connect(clientEra, 'ada', {});
    await one.callTool('asking__echo', { label: 'one' });
    await other.callTool('asking__echo', { label: 'other' });
    await none.callTool('asking__echo', { label: 'none' });
    expect(upstream.declared.get('one')).toEqual({ elicitation: { form: {} } });
    expect(upstream.declared.get('other')).toEqual({ sampling: {} });
    expect(upstream.declared.get('none')).toEqual({});
    const refused = await none.callTool('asking__form', { label: 'x' }).catch((error: unknown) => error);
    expect(refused).toSatisfy((it) => it instanceof Error || (it as { isError?: boolean }).isError === true);
    expect(upstream.ledger).not.toContain('x');
  });

  test('a client that goes away while it is asked takes the call with it', async () => {
    const { hub, connect, upstream } = await start(upstreamEra);
    let asked = false;
    const client = await connect(clientEra, 'ada', {
      elicitation: () => {
        asked = true;
        return new Promise(() => {});
      },
    });
    const aborter = new AbortController();
    const call = client.callTool('asking__form', { label: 'gone' }, { signal: aborter.signal });
    call.catch(() => {});
    await until(() => asked, 'the question');
    aborter.abort();
    await expect(call).rejects.toThrow(/aborted/);
    if (clientEra === 'legacy') {
      await until(() => !upstream.running.has('gone'), 'the call to be taken back');
      await expect.poll(async () => eventsOf(hub, 'call.finished')).toMatchObject([{ outcome: 'cancelled' }]);
    }
    await hub.running.hub.held.close();
    await until(() => !upstream.running.has('gone'), 'the call to be taken back');
    expect(await eventsOf(hub, 'call.finished')).toMatchObject([{ outcome: 'cancelled' }]);
    expect(upstream.ledger).toEqual([]);
  });
});
