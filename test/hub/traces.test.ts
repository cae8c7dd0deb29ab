import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admin } from '../support/admin.js';
import { startAskingUpstream } from '../support/asking-upstream.js';
import { eventsOf } from '../support/hub-events.js';
import { openRawAgent } from '../support/raw-agent.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

/** What a collector is sent: a span for each request and each stage of a call, and the numbers of `/metrics`. */

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string };
}
interface OtlpSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: number };
}

const REVISIONS = { legacy: '2025-11-25', modern: '2026-07-28' };
const INTERNAL = 1;
const SERVER = 2;
const CLIENT = 3;
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const traceOf = (digit: string): string => digit.repeat(32);
const OTHER = {
  label: 'by-rounds',
  asked: traceOf('a'),
  read: traceOf('b'),
  prompt: traceOf('c'),
  failed: traceOf('d'),
};
const WAYS = { plain: traceOf('e'), streamed: traceOf('f') };

class Collector {
  readonly spans: OtlpSpan[] = [];
  readonly metrics = new Set<string>();
  readonly headers: (string | undefined)[] = [];
  readonly server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      this.headers.push(request.headers['x-collector-key'] as string | undefined);
      this.#take(request.url ?? '', JSON.parse(Buffer.concat(chunks).toString()));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  #take(path: string, body: unknown): void {
    if (path === '/v1/traces') {
      const { resourceSpans } = body as { resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[] };
      this.spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)));
    } else if (path === '/v1/metrics') {
      const { resourceMetrics } = body as {
        resourceMetrics: { scopeMetrics: { metrics: { name: string }[] }[] }[];
      };
      for (const { scopeMetrics } of resourceMetrics)
        for (const { metrics } of scopeMetrics) for (const { name } of metrics) this.metrics.add(name);
    }
  }
}

const collector = new Collector();
const eras = ['legacy', 'modern'] as const;
const upstreams = new Map<string, Awaited<ReturnType<typeof startAskingUpstream>>>();
/** The ids that clients were told. */
const refusals: (string | undefined)[] = [];
let hub: TestHub;
let key: string;

/** Everything is sent when the hub stops. */
beforeAll(async () => {
  await new Promise<void>((resolve) => collector.server.listen(0, '127.0.0.1', resolve));
  for (const era of eras) upstreams.set(era, await startAskingUpstream(era));
  const connectors = Object.fromEntries(eras.map((era) => [era, { url: upstreams.get(era)?.url }]));
  const headers = { 'x-collector-key': 'the-collector-knows-this-key' };
  hub = await startTestHub({
    config: { connectors, telemetry: { otlp: { endpoint: collector.url, headers } } },
  });
  for (const era of eras) await waitForSync(hub, era);
  key = hub.localKey;
  for (const client of eras) {
    const agent = await openRawAgent({ url: `${hub.url}/mcp`, key, era: client });
    for (const upstream of eras) {
      const label = `${client}-${upstream}`;
      const _meta = { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'vendor=1' };
      await agent.request('tools/call', { name: `${upstream}__echo`, arguments: { label }, _meta });
    }
    const refused = await agent.request('tools/call', { name: 'nobody__knows', arguments: {} });
    refusals.push((refused.message as { error?: { data?: { callId?: string } } }).error?.data?.callId);
    await agent.request('tools/list', {});
  }
  await callForAgent();
  await makeOtherRequests();
  for (const id of ['modern', 'nobody']) await admin(hub, 'GET', `/connectors/${id}`);
  await hub.running.hub.events.flush();
});
/** Over the admin API, which answers at once where it tells how the call goes on. */
async function callForAgent(): Promise<void> {
  const { body } = await admin(hub, 'GET', '/agents');
  const [{ id: agent }] = body['items'] as [{ readonly id: string }];
  for (const [label, trace] of Object.entries(WAYS)) {
    const answer = await fetch(`${hub.url}/api/v1/tools/call`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${hub.adminToken}`,
        'content-type': 'application/json',
        accept: label === 'plain' ? 'application/json' : 'text/event-stream',
        traceparent: `00-${trace}-${PARENT}-01`,
        tracestate: 'vendor=1',
      },
      body: JSON.stringify({ agent, name: 'modern__echo', arguments: { label } }),
    });
    expect(await answer.text()).toContain(label);
  }
}

/** Of a client that can be asked, whose calls go by rounds. */
async function makeOtherRequests(): Promise<void> {
  const capabilities = { elicitation: {} };
  const agent = await openRawAgent({ url: `${hub.url}/mcp`, key, era: 'modern', capabilities });
  const within = (trace: string) => ({ _meta: { traceparent: `00-${trace}-${PARENT}-01` } });
  const { label } = OTHER;
  await agent.request('tools/call', { name: 'modern__echo', arguments: { label }, ...within(OTHER.asked) });
  await agent.request('resources/read', { uri: 'test://asking', ...within(OTHER.read) });
  await agent.request('prompts/get', {
    name: 'legacy__asking',
    arguments: { label },
    ...within(OTHER.prompt),
  });
  await upstreams.get('legacy')?.close();
  await agent.request('tools/call', { name: 'legacy__echo', arguments: { label }, ...within(OTHER.failed) });
}

afterAll(async () => {
  for (const upstream of upstreams.values()) await upstream.close();
  collector.server.closeAllConnections();
  collector.server.close();
});

const attribute = ({ attributes }: OtlpSpan, name: string) =>
  attributes.find((one) => one.key === name)?.value.stringValue;

describe('a collector', () => {
  let intended: readonly Record<string, unknown>[];

  test('is sent everything before the hub has stopped', async () => {
    intended = (await eventsOf(hub, 'call.intended')) as never;
    await hub.close();
    expect(collector.spans.length).toBeGreaterThan(0);
    expect(new Set(collector.headers)).toEqual(new Set(['the-collector-knows-this-key']));
  });

  test.each(eras.flatMap((client) => eras.map((upstream) => [client, upstream] as const)))(
    "B6: a call of a %s client to a %s upstream goes on with the client's trace, stage by stage",
    (client, upstream) => {
      const label = `${client}-${upstream}`;
      const sent = upstreams.get(upstream)?.metas.get(label) as { traceparent: string; tracestate: string };
      const [, traceId, spanId] = sent.traceparent.split('-');
      const ours = collector.spans.filter((span) => span.traceId === TRACE);
      const outgoing = ours.find((span) => span.spanId === spanId);
      expect([traceId, sent.tracestate]).toEqual([TRACE, 'vendor=1']);
      expect(outgoing).toMatchObject({ name: 'tools/call echo', kind: CLIENT });
      expect(attribute(outgoing as OtlpSpan, 'mcp.method.name')).toBe('tools/call');
      expect(attribute(outgoing as OtlpSpan, 'network.transport')).toBe('tcp');
      expect(attribute(outgoing as OtlpSpan, 'server.address')).toBe('127.0.0.1');
      expect(attribute(outgoing as OtlpSpan, 'jsonrpc.request.id')).toMatch(/^\d+$/);
      expect(attribute(outgoing as OtlpSpan, 'mcp.protocol.version')).toBe(REVISIONS[upstream]);
      const request = ours.find((span) => span.spanId === outgoing?.parentSpanId);
      expect(request).toMatchObject({
        name: `tools/call ${upstream}__echo`,
        kind: SERVER,
        parentSpanId: PARENT,
      });
      expect(attribute(request as OtlpSpan, 'gen_ai.tool.name')).toBe(`${upstream}__echo`);
      expect(attribute(request as OtlpSpan, 'mcp.protocol.version')).toBe(REVISIONS[client]);
      expect(attribute(request as OtlpSpan, 'jsonrpc.request.id')).not.toBe(undefined);
      // A digest: the id of a session lets its holder in.
      expect(attribute(request as OtlpSpan, 'mcp.session.id')).toEqual(
        client === 'legacy' ? expect.stringMatching(/^[\da-f]{32}$/) : undefined,
      );
      const callId = attribute(request as OtlpSpan, 'crosspoint.call.id');
      expect(intended.some((event) => event['callId'] === callId)).toBe(true);
      const stages = ours.filter((span) => span.parentSpanId === request?.spanId).map(({ name }) => name);
      expect(stages).toEqual(
        expect.arrayContaining([
          'lookup',
          'policy',
          'validation',
          'intent',
          'credential',
          'connect',
          'guard',
        ]),
      );
    },
  );

  test('the log names the trace', () => {
    const plain = intended.filter(({ trace }) => String(trace).includes(TRACE));
    expect(plain).toHaveLength(4);
    expect(intended).toHaveLength(10);
  });

  test('a call by rounds tells the upstream of the same span', () => {
    const sent = upstreams.get('modern')?.metas.get(OTHER.label) as { traceparent: string };
    const outgoing = collector.spans.find(({ traceId, kind }) => traceId === OTHER.asked && kind === CLIENT);
    expect(sent.traceparent).toBe(`00-${OTHER.asked}-${outgoing?.spanId}-01`);
  });

  test.each([
    ['resources/read', OTHER.read, 'mcp.resource.uri', 'test://asking'],
    ['prompts/get asking', OTHER.prompt, 'gen_ai.prompt.name', 'asking'],
  ])('%s has its stages and its request to the upstream', (name, trace, member, value) => {
    const ours = collector.spans.filter(({ traceId }) => traceId === trace);
    const request = ours.find(({ kind }) => kind === SERVER);
    const outgoing = ours.find(({ kind }) => kind === CLIENT);
    expect(request?.parentSpanId).toBe(PARENT);
    expect(outgoing).toMatchObject({ name, parentSpanId: request?.spanId });
    expect(attribute(outgoing as OtlpSpan, member)).toBe(value);
    expect(ours.map((span) => span.name)).toEqual(
      expect.arrayContaining(['lookup', 'policy', 'intent', 'connect']),
    );
  });

  test('what fails at the upstream is marked there, and nowhere but at the request besides', () => {
    const ours = collector.spans.filter(({ traceId }) => traceId === OTHER.failed);
    const marked = ours.filter((span) => attribute(span, 'error.type') !== undefined);
    expect(marked.map(({ name }) => name)).toContain('tools/call legacy__echo');
    expect(marked.map(({ name }) => name)).not.toContain('outcome');
    expect(marked).toHaveLength(2);
  });

  test('a call that is refused is a span with the code of the error, in a trace of its own', () => {
    const refused = collector.spans.filter(({ name }) => name === 'tools/call nobody__knows');
    expect(refused).toHaveLength(2);
    for (const span of refused) {
      expect(span.traceId).not.toBe(TRACE);
      expect(attribute(span, 'error.type')).toBe('unknown_tool');
      expect(attribute(span, 'rpc.response.status_code')).toBe('-32602');
      expect(refusals).toContain(attribute(span, 'crosspoint.call.id'));
      const stages = collector.spans.filter(({ parentSpanId }) => parentSpanId === span.spanId);
      expect(stages.map((stage) => [stage.name, attribute(stage, 'error.type')])).toEqual([
        ['lookup', 'unknown_tool'],
      ]);
    }
  });

  test('requests of the admin API are, by their route', () => {
    const asked = collector.spans.filter(({ name }) => name === 'GET /api/v1/connectors/{id}');
    expect(asked.map((span) => [span.kind, attribute(span, 'error.type')])).toEqual([
      [SERVER, undefined],
      [SERVER, 'not_found'],
    ]);
    for (const span of asked) expect(attribute(span, 'crosspoint.request.id')).toMatch(/^[\w-]{36}$/);
  });

  test.each(Object.entries(WAYS))(
    'a %s call of the admin API goes on with its trace, stage by stage',
    (label, trace) => {
      const sent = upstreams.get('modern')?.metas.get(label) as { traceparent: string; tracestate: string };
      const ours = collector.spans.filter(({ traceId }) => traceId === trace);
      const named = (name: string, kind: number) =>
        ours.find((span) => span.name === name && span.kind === kind) as OtlpSpan;
      const request = named('POST /api/v1/tools/call', SERVER);
      const call = named('tools/call modern__echo', INTERNAL);
      const outgoing = named('tools/call echo', CLIENT);
      expect([request, call, outgoing].map(({ parentSpanId }) => parentSpanId)).toEqual([
        PARENT,
        request.spanId,
        call.spanId,
      ]);
      expect(sent).toMatchObject({
        traceparent: `00-${trace}-${outgoing.spanId}-01`,
        tracestate: 'vendor=1',
      });
      const { callId } = intended.find((event) => String(event['trace']).includes(trace)) ?? {};
      expect(attribute(call, 'crosspoint.call.id')).toBe(callId);
      const stages = ours.filter(({ parentSpanId }) => parentSpanId === call.spanId).map(({ name }) => name);
      expect(stages).toEqual(expect.arrayContaining(['lookup', 'policy', 'intent', 'connect', 'outcome']));
    },
  );

  test('lists are spans too', () => {
    const lists = collector.spans.filter(({ name }) => name === 'tools/list');
    expect(lists.map(({ kind }) => kind)).toEqual([SERVER, SERVER]);
  });

  test('is sent the metrics too', () => {
    expect([...collector.metrics]).toEqual(
      expect.arrayContaining(['mcp.server.operation.duration', 'crosspoint.calls', 'process.cpu']),
    );
  });

  test('B7.1: hears neither keys nor arguments', () => {
    const heard = JSON.stringify([collector.spans, [...collector.metrics]]);
    for (const secret of [key, 'the-collector-knows-this-key', 'legacy-modern'])
      expect(heard).not.toContain(secret);
  });
});
