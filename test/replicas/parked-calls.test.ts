import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { recoverUnfinishedCalls } from '../../src/app/recover.js';
import { admin } from '../support/admin.js';
import { startAskingUpstream, type AskingUpstream } from '../support/asking-upstream.js';
import { eventsOf } from '../support/hub-events.js';
import { openRawAgent, type RawAgent, type RawAnswer } from '../support/raw-agent.js';
import { SHARED_BY, useSharedPlace } from '../support/replica-set.js';
import { waitForSync, type TestHub } from '../support/start-hub.js';
import type { JsonObject } from '../../src/mcp/jsonrpc/index.js';

/** Modern clients that come back with their answers to another replica than the one that makes their call. */

const SOON = { timeout: 10_000 };
let legacy: AskingUpstream;
let modern: AskingUpstream;
const hubs: TestHub[] = [];
let agents: RawAgent[] = [];

function call(at: number, tool: string, label: string, more: JsonObject = {}): Promise<RawAnswer> {
  const { rounds, ...rest } = more;
  const args = { label, ...(rounds !== undefined && { rounds }) };
  return agents[at]!.request('tools/call', { name: tool, arguments: args, ...rest });
}

interface Suspended {
  readonly requestState: string;
  readonly inputRequests: Record<string, object>;
}

function suspendedOf({ message }: RawAnswer): Suspended {
  const result = message?.['result'] as unknown as Suspended & { resultType: string };
  expect(result?.resultType, JSON.stringify(message)).toBe('input_required');
  return result;
}

function answersTo({ inputRequests, requestState }: Suspended, word: string): JsonObject {
  const answer = { action: 'accept', content: { word } };
  return {
    requestState,
    inputResponses: Object.fromEntries(Object.keys(inputRequests).map((key) => [key, answer])),
  };
}

function textOf({ message }: RawAnswer): string {
  const result = message?.['result'] as { content?: { text: string }[] } | undefined;
  return result?.content?.[0]?.text ?? JSON.stringify(message);
}

describe.each(SHARED_BY)('%s', (by) => {
  const place = useSharedPlace(by);
  beforeAll(async () => {
    legacy = await startAskingUpstream('legacy');
    modern = await startAskingUpstream('modern');
    const connectors = { old: { url: legacy.url }, new: { url: modern.url } };
    for (let index = 0; index < 3; index++) hubs.push(await place().start({ connectors }));
    for (const hub of hubs) for (const id of Object.keys(connectors)) await waitForSync(hub, id);
    agents = await Promise.all(
      hubs.map(({ url, localKey }) =>
        openRawAgent({ url: `${url}/mcp`, key: localKey, era: 'modern', capabilities: { elicitation: {} } }),
      ),
    );
  }, 120_000);

  afterAll(async () => {
    for (const hub of hubs.splice(0)) await hub.close();
    await legacy?.close();
    await modern?.close();
  }, 60_000);

  parkedCallsSuite();
});

function parkedCallsSuite(): void {
  test('B15: a call parked at one replica goes on from others, round by round, and is made once', async () => {
    const first = suspendedOf(await call(0, 'old__form', 'rounds', { rounds: 2 }));
    const second = suspendedOf(
      await call(1, 'old__form', 'rounds', { rounds: 2, ...answersTo(first, 'one') }),
    );
    const last = await call(2, 'old__form', 'rounds', { rounds: 2, ...answersTo(second, 'two') });
    expect(JSON.parse(textOf(last))).toMatchObject([
      { content: { word: 'one' } },
      { content: { word: 'two' } },
    ]);
    expect(legacy.ledger.filter((label) => label === 'rounds')).toHaveLength(1);
    expect(legacy.begun.get('rounds')).toBe(1);
    await vi.waitFor(async () => {
      const finished = await eventsOf(hubs[2]!, 'call.finished');
      expect(finished.filter(({ target, outcome }) => target === 'form' && outcome === 'ok')).toHaveLength(1);
    }, SOON);
  });

  test('B15: an old round is not answered twice, at whichever replica it is tried', async () => {
    const first = suspendedOf(await call(0, 'old__form', 'replayed'));
    const more = answersTo(first, 'once');
    expect(textOf(await call(1, 'old__form', 'replayed', more))).toContain('once');
    for (const at of [0, 1, 2]) {
      const { message } = await call(at, 'old__form', 'replayed', more);
      expect(message?.['error']).toMatchObject({ code: -32602 });
    }
    expect(legacy.ledger.filter((label) => label === 'replayed')).toHaveLength(1);
  });

  test('a consent that one replica asked for is good at another, once', async () => {
    const text = '@confirm("Sure?") permit (principal, action, resource == Tool::"new/echo");';
    expect((await admin(hubs[0]!, 'PUT', '/policies/sure', { text })).status).toBeLessThan(300);
    // Until the policy counts everywhere.
    await vi.waitFor(async () => {
      for (const at of [0, 1, 2]) suspendedOf(await call(at, 'new__echo', 'before'));
    }, SOON);
    const more = answersTo(suspendedOf(await call(0, 'new__echo', 'consent')), 'yes');
    expect(textOf(await call(1, 'new__echo', 'consent', more))).toContain('consent');
    for (const at of [0, 1, 2])
      expect((await call(at, 'new__echo', 'consent', more)).message?.['error']).toMatchObject({
        code: -32602,
      });
    expect(modern.ledger.filter((label) => label === 'consent')).toHaveLength(1);
    await admin(hubs[0]!, 'DELETE', '/policies/sure');
  });

  test('a call that its upstream does not keep open is one call in the log, whichever replica goes on', async () => {
    const first = suspendedOf(await call(0, 'new__state', 'moved'));
    const last = await call(1, 'new__state', 'moved', answersTo(first, 'here'));
    expect(textOf(last)).toContain('here');
    await vi.waitFor(async () => {
      const intended = (await eventsOf(hubs[0]!, 'call.intended')).filter(({ target }) => target === 'state');
      const finished = (await eventsOf(hubs[0]!, 'call.finished')).filter(({ target }) => target === 'state');
      expect(intended).toHaveLength(1);
      expect(finished.map(({ callId, outcome }) => [callId, outcome])).toEqual([[intended[0]?.callId, 'ok']]);
    }, SOON);
  });

  test('a replica whose policy changed meanwhile does not go on, and the call ends where it is held', async () => {
    const first = suspendedOf(await call(0, 'old__form', 'denied'));
    const forbid = 'forbid (principal, action, resource == Tool::"old/form");';
    expect((await admin(hubs[1]!, 'PUT', '/policies/no-form', { text: forbid })).status).toBeLessThan(300);
    const refused = await call(1, 'old__form', 'denied', answersTo(first, 'no'));
    expect(textOf(refused)).not.toContain('"word"');
    await vi.waitFor(() => expect(legacy.running.has('denied')).toBe(false), SOON);
    expect(legacy.ledger).not.toContain('denied');
    await admin(hubs[1]!, 'DELETE', '/policies/no-form');
  });

  test('B15: when the replica that holds it is gone the interaction is lost, and says so', async () => {
    // Until the policy of the test before is gone there, too.
    const first = await vi.waitFor(async () => suspendedOf(await call(2, 'old__form', 'lost')), SOON);
    const moved = suspendedOf(await call(2, 'new__state', 'stays', { rounds: 2 }));
    const again = suspendedOf(
      await call(1, 'new__state', 'stays', { ...answersTo(moved, 'one'), rounds: 2 }),
    );
    await hubs.pop()?.close();
    // What another one has gone on with has the end that is written there, and no other.
    await recoverUnfinishedCalls(hubs[0]!.running.hub);
    expect(textOf(await call(1, 'new__state', 'stays', { ...answersTo(again, 'two'), rounds: 2 }))).toContain(
      'two',
    );
    const { callId } = (await eventsOf(hubs[0]!, 'call.intended')).findLast(
      ({ target }) => target === 'state',
    )!;
    await vi.waitFor(async () => {
      const ends = (await eventsOf(hubs[0]!, 'call.finished')).filter((event) => event.callId === callId);
      expect(ends.map(({ outcome }) => outcome)).toEqual(['ok']);
    }, SOON);
    const lost = await call(0, 'old__form', 'lost', answersTo(first, 'late'));
    expect(textOf(lost)).toMatch(/interaction was lost/i);
    expect(legacy.ledger).not.toContain('lost');
  });
}
