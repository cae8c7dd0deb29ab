import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HubEvent } from '../../src/governance/index.js';
import { MISDEEDS } from '../support/hostile-http.js';
import { eventsOf } from '../support/hub-events.js';
import { openRawAgent } from '../support/raw-agent.js';
import { startUpstream, type ScriptedUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

/** A server that breaks the rules in every way it can, behind one hub and beside one that keeps them. */

type Finished = Extract<HubEvent, { type: 'call.finished' }>;
type Expected = readonly [outcome: string, error: string | undefined];

const TIMED_OUT: Expected = ['outcome_unknown', 'upstream_timeout'];
const CLOSED: Expected = ['outcome_unknown', 'upstream_closed'];
const PROTOCOL: Expected = ['outcome_unknown', 'upstream_protocol'];
const TOO_LARGE: Expected = ['outcome_unknown', 'upstream_too_large'];
const STATUS: Expected = ['outcome_unknown', 'upstream_unavailable'];
const REJECTED: Expected = ['failed', 'upstream_rejected'];
const OK: Expected = ['ok', undefined];

const EXPECTED: readonly (readonly [id: string, expected: Expected, ...modes: string[]])[] = [
  ['U-1', TIMED_OUT, 'hang', 'hang_headers', 'drip', 'drip_headers'],
  ['U-2', TIMED_OUT, 'sse_comments_forever', 'sse_progress_forever'],
  ['U-3', CLOSED, 'sse_end_early', 'fin', 'reset', 'reset_mid', 'cl_long', 'chunk_truncated'],
  ['U-4', PROTOCOL, 'cl_double', 'cl_te', 'chunk_bad', 'bad_status_line', 'http2_bytes'],
  ['U-5', TOO_LARGE, 'header_100k', 'headers_5000'],
  ['U-6', TOO_LARGE, 'json_huge', 'json_endless', 'sse_huge_event', 'sse_endless_line'],
  // Nothing was said to accept compression, so it is not undone.
  ['U-6', PROTOCOL, 'gzip_bomb'],
  ['U-7', OK, 'sse_flood'],
  ['U-8', PROTOCOL, 'gzip_bad', 'utf8_bad', 'json_deep', 'json_broken', 'empty_200', 'empty_202'],
  ['U-8', PROTOCOL, 'no_content', 'html_200'],
  ['U-9', STATUS, 'status_400', 'status_405', 'status_418', 'status_500', 'status_502', 'status_503'],
  ['U-9', ['failed', 'credential_required'], 'status_403'],
  ['U-9', ['failed', 'upstream_unavailable'], 'status_429'],
  ['U-10', PROTOCOL, 'redirect_301', 'redirect_302', 'redirect_307', 'redirect_308'],
  ['U-11', PROTOCOL, 'id_wrong', 'id_null', 'id_missing', 'id_float'],
  // What is meant is plain: a body that is JSON whatever it is called, an id that was only made a text.
  ['U-8', OK, 'json_as_sse'],
  ['U-11', OK, 'id_string'],
  ['U-12', OK, 'dup_response', 'result_then_error', 'stray_first'],
  [
    'U-13',
    PROTOCOL,
    'both',
    'neither',
    'no_jsonrpc',
    'result_null',
    'result_string',
    'result_array',
    'result_number',
  ],
  ['U-14', PROTOCOL, 'error_string_code', 'error_no_message', 'error_beyond_integers'],
  ['U-14', REJECTED, 'error_huge', 'error_ansi', 'error_reserved'],
  ['U-15', OK, 'server_request'],
  ['U-16', OK, 'progress_foreign', 'cancel_from_server'],
  ['U-19', CLOSED, 'exec_then_drop'],
  ['U-19', STATUS, 'exec_then_500'],
  ['U-19', TIMED_OUT, 'exec_then_hang'],
  ['U-20', PROTOCOL, 'content_string', 'content_odd', 'is_error_text'],
  ['U-20', OK, 'type_claimed', 'beside_huge', 'content_missing', 'content_10k', 'content_proto'],
  ['U-20', OK, 'image_bad', 'link_javascript'],
];
const ROWS = EXPECTED.flatMap(([id, expected, ...modes]) =>
  modes.map((mode) => [id, mode, expected] as const),
);

const CALL_LIMIT_MS = 3_000;
let hub: TestHub;
let bad: ScriptedUpstream;
let good: ScriptedUpstream;
let canary: Server;
let knocks = 0;
let grownBy = 0;
const executed: string[] = [];
const answers = new Map<
  string,
  { readonly text: string; readonly message: unknown; readonly tookMs: number }
>();
const beside: string[] = [];
let finished: readonly Finished[] = [];

beforeAll(async () => {
  canary = createServer((_request, response) => {
    knocks++;
    response.end();
  });
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
  const canaryUrl = `http://127.0.0.1:${(canary.address() as AddressInfo).port}/mcp`;
  const toolOf = (name: string) => ({ name, inputSchema: { type: 'object' } });
  bad = await startUpstream({
    tools: Object.keys(MISDEEDS).map(toolOf),
    call: (name, _args, { rpc }, response) => {
      executed.push(name);
      MISDEEDS[name]?.(response, rpc.id, canaryUrl);
      return undefined;
    },
  });
  good = await startUpstream({
    tools: [toolOf('t')],
    call: () => ({ content: [{ type: 'text', text: 'fine' }] }),
  });
  const limits = { responseBytes: 1_000_000, concurrency: 200, breakerFailures: 0 };
  const connectorOf = (totalMs: number) => ({
    url: bad.url,
    limits,
    timeouts: { requestMs: totalMs - 1_000, totalMs },
  });
  hub = await startTestHub({
    config: {
      connectors: {
        hurried: connectorOf(CALL_LIMIT_MS),
        patient: connectorOf(60_000),
        good: { url: good.url },
      },
    },
  });
  for (const id of ['hurried', 'patient']) await waitForSync(hub, id, 50_000);
  await waitForSync(hub, 'good', 50_000);
  const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era: 'modern' });
  const call = async (name: string) => {
    const startedAt = performance.now();
    const { message } = await agent.request('tools/call', { name, arguments: {} });
    return { text: JSON.stringify(message), message, tookMs: performance.now() - startedAt };
  };
  const before = process.memoryUsage().rss;
  const over = new AbortController();
  const other = (async () => {
    while (!over.signal.aborted) beside.push((await call('good__t')).text);
  })();
  // Not all at once, so that a busy machine is not mistaken for an upstream that hangs.
  const modes = ROWS.map(
    ([, mode, expected]) => [mode, expected === TIMED_OUT ? 'hurried' : 'patient'] as const,
  );
  const worker = async (): Promise<void> => {
    for (let next = modes.shift(); next !== undefined; next = modes.shift())
      answers.set(next[0], await call(`${next[1]}__${next[0]}`));
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  over.abort();
  await other;
  grownBy = process.memoryUsage().rss - before;
  finished = await eventsOf(hub, 'call.finished');
}, 120_000);

afterAll(async () => {
  await hub?.close();
  for (const server of [bad, good]) await server?.close();
  canary.close();
});

test('every misdeed has its row', () => {
  expect(ROWS.map(([, mode]) => mode).toSorted()).toEqual(Object.keys(MISDEEDS).toSorted());
});

test.each(ROWS)('%s: %s', (_id, mode, expected) => {
  const record = finished.find(({ target }) => target === mode);
  expect([record?.outcome, record?.error]).toEqual(expected);
});

test('every call was carried out once, whatever became of its answer', () => {
  expect(executed.toSorted()).toEqual(Object.keys(MISDEEDS).toSorted());
});

test('every call was answered within its limit', () => {
  const late = [...answers].filter(([, { tookMs }]) => tookMs > CALL_LIMIT_MS + 15_000).map(([mode]) => mode);
  expect(late).toEqual([]);
});

test('U-10: nobody was led elsewhere', () => expect(knocks).toBe(0));

test('U-9: what stood in an error page is not passed on', () => {
  expect([...answers.values()].filter(({ text }) => text.includes('hunter2'))).toEqual([]);
});

test.each(['id_wrong', 'id_null', 'id_missing', 'id_float'])('U-11: %s delivers nothing', (mode) => {
  expect(answers.get(mode)?.text).not.toContain('true answer');
});

test.each(['dup_response', 'result_then_error', 'stray_first', 'sse_flood', 'server_request'])(
  'U-12: %s gives the first true answer',
  (mode) => {
    expect(answers.get(mode)?.text).toContain('true answer');
  },
);

describe('U-14: errors are well formed', () => {
  test.each(['error_huge', 'error_ansi', 'error_reserved'])('%s', (mode) => {
    const { message } = answers.get(mode) ?? {};
    const { error } = message as { error: { code: number; message: string } };
    expect(Number.isInteger(error.code) && (error.code > -32_000 || error.code < -32_099)).toBe(true);
    expect(error.message.length).toBeLessThanOrEqual(512);
    expect(error.message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});

test('U-20: a server of the handshake era cannot pass a result off as a question', () => {
  expect(answers.get('type_claimed')?.message).toMatchObject({ result: { resultType: 'complete' } });
});

test('U-20: what stands beside the content does not get around the limit', () => {
  const { text = '' } = answers.get('beside_huge') ?? {};
  expect(text).toContain('true answer');
  expect(text.length).toBeLessThan(2_000);
});

test.each([
  ['image_bad', 'data:x'],
  ['link_javascript', 'javascript:'],
])('U-20: of %s clients get the rest', (mode, part) => {
  const { text } = answers.get(mode)!;
  expect(text).toContain('true answer');
  expect(text).not.toContain(part);
});

test('U-20: nothing is polluted', () => {
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('U-6: memory stays bounded', () => {
  expect(grownBy / 1024 / 1024).toBeLessThan(256);
});

test('the server beside it answered all the while', () => {
  expect(beside.length).toBeGreaterThan(3);
  expect(beside.filter((text) => !text.includes('fine'))).toEqual([]);
});
