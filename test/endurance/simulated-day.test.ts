import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { HubEvent } from '../../src/governance/index.js';
import { startAskingUpstream, type AskingUpstream } from '../support/asking-upstream.js';
import { recordsOf } from '../support/hub-events.js';
import { openRawAgent } from '../support/raw-agent.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

/**
 * A day in the life of a whole hub. All timers and clocks of this process stand still until they are moved; sockets and the disk are
 * real. Every hour agents come and leave things behind, and the rest of the hour passes in steps.
 */

const HOURS = 24;
const HOUR_MS = 3_600_000;
const STEP_MS = 60_000;
const MOST_EVENTS = 1_000;
const EVENTS_OF_AN_HOUR = 60;
const WRONG_GUESSES = 10;

/** On a busy machine a millisecond may be over before anything that has arrived was read. */
const TURNS = 20;

const realTimeout = setTimeout;
async function breathe(): Promise<void> {
  await new Promise((resolve) => realTimeout(resolve, 1));
  for (let turn = 0; turn < TURNS; turn++) await new Promise(setImmediate);
}

/** The clock goes on by a millisecond for each that the work takes, so that what waits for a moment gets it. */
async function during<Result>(work: Promise<Result>): Promise<Result> {
  const state = { isOver: false };
  const done = work.finally(() => (state.isOver = true));
  done.catch(() => {});
  const deadline = process.hrtime.bigint() + 30_000_000_000n;
  while (!state.isOver && process.hrtime.bigint() < deadline) {
    vi.advanceTimersByTime(1);
    await breathe();
  }
  if (!state.isOver) throw new Error('the work did not end');
  return done;
}

interface Moment {
  readonly sessions: number;
  readonly parked: number;
  readonly timers: number;
  readonly tickets: number;
  readonly events: number;
}

describe('F54: a day passes', () => {
  let hub: TestHub;
  let upstream: AskingUpstream;
  let started: Moment;
  const evenings: Moment[] = [];
  const mornings: Moment[] = [];
  const guesses: number[][] = [];

  async function look(): Promise<Moment> {
    const answer = await fetch(`${hub.url}/metrics`, {
      headers: { authorization: `Bearer ${hub.adminToken}` },
    });
    const sessions = /^crosspoint_sessions (\d+)$/m.exec(await answer.text())?.[1];
    return {
      sessions: Number(sessions),
      parked: hub.running.hub.held.size,
      timers: vi.getTimerCount(),
      tickets: await hub.running.hub.storage.tickets.count('simulated'),
      events: (await recordsOf(hub)).length,
    };
  }

  /** What agents leave behind: a session, a question without an answer, a ticket, events. */
  async function visit(hour: number): Promise<void> {
    const at = { url: `${hub.url}/mcp`, key: hub.localKey };
    const legacy = await openRawAgent({ ...at, era: 'legacy' });
    const echo = { name: 'asking__echo', arguments: { label: `hour-${hour}` } };
    expect((await legacy.request('tools/call', echo)).message).toHaveProperty('result');
    const modern = await openRawAgent({ ...at, era: 'modern', capabilities: { elicitation: { form: {} } } });
    const form = { name: 'asking__form', arguments: { label: `form-${hour}` } };
    expect((await modern.request('tools/call', form)).message).toMatchObject({
      result: { resultType: 'input_required' },
    });
    const { storage, events } = hub.running.hub;
    const expiresAt = Date.now() + 600_000;
    await storage.tickets.put({ kind: 'simulated', name: `ticket-${hour}`, value: '{}', expiresAt });
    for (let n = 0; n < EVENTS_OF_AN_HOUR; n++)
      events.append({ kind: 'hub' }, { type: 'hub.started', version: `${hour}.${n}` });
  }

  /** Counts for this address, which nobody may use for a while then. */
  async function guess(): Promise<void> {
    const statuses: number[] = [];
    for (let n = 0; n <= WRONG_GUESSES; n++) {
      const answer = await fetch(`${hub.url}/api/v1/agents`, { headers: { authorization: 'Bearer wrong' } });
      statuses.push(answer.status);
      await answer.text();
    }
    guesses.push(statuses);
  }

  async function passHour(): Promise<void> {
    for (let passed = 0; passed < HOUR_MS; passed += STEP_MS) {
      vi.advanceTimersByTime(STEP_MS);
      await breathe();
    }
  }

  const countOf = async (type: HubEvent['type']): Promise<number> => (await recordsOf(hub, { type })).length;

  let syncs = 0;
  let checks = 0;
  beforeAll(async () => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
    });
    upstream = await startAskingUpstream('legacy');
    // Steps are longer than answers take in earnest, so nothing may run out within a few of them.
    const patience = { requestMs: HOUR_MS, totalMs: 24 * HOUR_MS };
    const config = {
      connectors: { asking: { url: upstream.url, timeouts: patience } },
      health: { intervalMs: 300_000, timeoutMs: HOUR_MS },
      sync: { intervalMs: HOUR_MS },
      audit: { maxEvents: MOST_EVENTS },
    };
    hub = await during(startTestHub({ config }));
    await during(waitForSync(hub, 'asking'));
    await during(visit(0));
    await passHour();
    started = await during(look());
    hub.running.hub.events.subscribe(({ event }) => {
      if (event.type === 'connector.synced') syncs++;
    });
    const before = upstream.headers.length;
    for (let hour = 1; hour <= HOURS; hour++) {
      await during(visit(hour));
      mornings.push(await during(look()));
      await during(guess());
      await passHour();
      evenings.push(await during(look()));
    }
    checks = upstream.headers.length - before;
  }, 180_000);
  afterAll(async () => {
    await during(hub.close());
    vi.useRealTimers();
    await upstream.close();
  });

  test('what agents leave behind is there, and gone within the hour', () => {
    for (const moment of mornings) expect(moment).toMatchObject({ sessions: 1, parked: 1, tickets: 1 });
    for (const moment of [started, ...evenings])
      expect(moment).toMatchObject({ sessions: 0, parked: 0, tickets: 0 });
  });

  test('questions that nobody answered have ended at the upstream too', () => {
    expect([...upstream.running]).toEqual([]);
    expect(upstream.ledger).toHaveLength(HOURS + 1);
  });

  test('wrong guesses are forgiven after a while, every time', () => {
    for (const statuses of guesses)
      expect(statuses).toEqual([...Array.from({ length: WRONG_GUESSES }, () => 401), 429]);
  });

  test('old events make room', async () => {
    const most = MOST_EVENTS + 3 * EVENTS_OF_AN_HOUR;
    for (const { events } of evenings) expect(events).toBeLessThan(most);
    expect(await during(countOf('hub.started'))).toBeLessThan(HOURS * EVENTS_OF_AN_HOUR);
    expect(await during(hub.running.hub.storage.events.last())).toMatchObject({
      sequence: expect.any(Number) as number,
    });
  });

  test('syncs and health checks go on', async () => {
    expect(syncs).toBeGreaterThan(HOURS / 2);
    expect(checks).toBeGreaterThan((HOURS * HOUR_MS) / 300_000 / 2);
    expect(await during(countOf('connector.breaker_opened'))).toBe(0);
  });

  test('no timers pile up', () => {
    // One that is left behind every hour would be more than these.
    for (const { timers } of evenings) expect(timers).toBeLessThanOrEqual(started.timers + HOURS / 2);
  });
});
