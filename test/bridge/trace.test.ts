import { describe, expect, test } from 'vitest';
import { startAskingUpstream } from '../support/asking-upstream.js';
import { eventsOf } from '../support/hub-events.js';
import { openRawAgent } from '../support/raw-agent.js';
import { closeAfterEach } from '../support/resources.js';
import { startTestHub, waitForSync } from '../support/start-hub.js';

/** B6: a trace goes on through the hub, however a client tells of it. */

const keep = closeAfterEach();
const traceOf = (n: number) => `00-${String(n).padStart(32, 'a')}-b7ad6b7169203331-01`;
const eras = ['legacy', 'modern'] as const;

async function start(client: 'legacy' | 'modern', era: 'legacy' | 'modern') {
  const upstream = keep(await startAskingUpstream(era));
  const hub = keep(await startTestHub({ config: { connectors: { asking: { url: upstream.url } } } }));
  await waitForSync(hub, 'asking');
  const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era: client });
  const echo = (label: string, meta?: object, headers?: Record<string, string>) =>
    agent.request(
      'tools/call',
      { name: 'asking__echo', arguments: { label }, ...(meta && { _meta: meta as never }) },
      headers,
    );
  return { upstream, hub, agent, echo };
}

describe.each(eras.flatMap((client) => eras.map((upstream) => [client, upstream] as const)))(
  'a %s client and a %s upstream',
  (client, era) => {
    test('a trace in _meta reaches the upstream in _meta and as headers', async () => {
      const { upstream, hub, echo } = await start(client, era);
      const trace = { traceparent: traceOf(1), tracestate: 'vendor=1', baggage: 'user=a' };
      await echo('one', trace);
      expect(upstream.metas.get('one')).toMatchObject(trace);
      const { baggage: _, ...headers } = trace;
      expect(upstream.headers.at(-1)).toMatchObject(headers);
      expect(await eventsOf(hub, 'call.intended')).toMatchObject([{ trace: trace.traceparent }]);
    });

    test('B2.3: baggage of a header reaches nobody, and that of _meta no header', async () => {
      const { upstream, echo } = await start(client, era);
      const baggage = 'user=secret-of-the-network';
      await echo('alone', undefined, { baggage });
      await echo('beside', undefined, { baggage, traceparent: traceOf(5) });
      await echo('meta', { baggage: 'user=a' }, { baggage });
      expect(['alone', 'beside', 'meta'].map((label) => upstream.metas.get(label))).toEqual([
        undefined,
        { traceparent: traceOf(5) },
        { baggage: 'user=a' },
      ]);
      expect(upstream.headers.filter((headers) => headers['baggage'] !== undefined)).toEqual([]);
    });

    test('a trace in headers counts where _meta has none', async () => {
      const { upstream, hub, echo } = await start(client, era);
      const headers = { traceparent: traceOf(2), tracestate: 'vendor=2' };
      await echo('headers', undefined, headers);
      await echo('both', { traceparent: traceOf(3) }, headers);
      expect(upstream.metas.get('headers')).toMatchObject(headers);
      expect(upstream.metas.get('both')).toEqual({ traceparent: traceOf(3) });
      expect(upstream.headers.at(-1)).toMatchObject({ traceparent: traceOf(3) });
      expect(upstream.headers.at(-1)).not.toHaveProperty('tracestate');
      expect(await eventsOf(hub, 'call.intended')).toMatchObject([
        { trace: traceOf(2) },
        { trace: traceOf(3) },
      ]);
    });

    test('what is no trace is dropped, and no trace is made up', async () => {
      const { upstream, hub, agent, echo } = await start(client, era);
      await echo('bad', { traceparent: 'x', tracestate: 'a=1', 'vendor.example/k': 1 }, { traceparent: 'y' });
      expect(upstream.metas.get('bad')).toEqual({ 'vendor.example/k': 1 });
      await echo('none');
      expect(upstream.metas.get('none')).toBeUndefined();
      for (const name of ['traceparent', 'tracestate', 'baggage'])
        expect(upstream.headers.every((headers) => headers[name] === undefined)).toBe(true);
      await agent.request('resources/read', { uri: 'test://asking', _meta: { traceparent: traceOf(4) } });
      const intended = await eventsOf(hub, 'call.intended');
      expect(intended.map(({ trace }) => trace)).toEqual([undefined, undefined, traceOf(4)]);
    });
  },
);
