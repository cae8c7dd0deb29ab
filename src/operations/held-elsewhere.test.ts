import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  HubError,
  systemClock,
  toAgentId,
  toCallId,
  type LineListener,
  type Switchboard,
} from '../kernel/index.js';
import { HeldCalls } from './held-calls.js';
import { HeldElsewhere } from './held-elsewhere.js';
import { createMemoryTickets } from '../../test/support/memory-tickets.js';
import { OpenRound } from './open-round.js';
import { findTaker, TakenCalls } from './taken-calls.js';

const OWNER = toAgentId('ci');
const HOLDER = 'holder';
const OTHER = 'others';
const HOUR_MS = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Two replicas that hear each other, unless nothing is heard. */
class Between {
  isCut = false;
  losesAnswers = false;
  readonly gone = new Set<string>();
  readonly #listeners = new Map<string, LineListener>();

  board(self: string): Switchboard {
    const reached = (to: string | undefined): LineListener | undefined =>
      this.isCut || to === undefined || this.gone.has(to) ? undefined : this.#listeners.get(to);
    return {
      self,
      tell: (to, _, message) => reached(to)?.told?.(self, message),
      ask: async (to, _, message) => {
        const more = { note: () => {}, signal: new AbortController().signal };
        const answer = await reached(to)
          ?.asked?.(self, message, more)
          .catch(() => undefined);
        return this.losesAnswers ? undefined : answer;
      },
      isGone: async (name) => {
        if (this.isCut) throw new HubError('storage_unavailable', 'nobody can tell');
        return this.gone.has(name);
      },
      serve: (_, listener) => {
        this.#listeners.set(self, listener);
        return () => this.#listeners.delete(self);
      },
    };
  }
}

/** A round that is held at one replica and claimed at another. `ends`: what the first writes down. */
function holdOne() {
  const between = new Between();
  const ends: unknown[] = [];
  const tickets = createMemoryTickets();
  const places = [HOLDER, OTHER].map((self) => {
    const held = new HeldCalls({ self });
    const taken = new TakenCalls({ tickets, clock: systemClock, self });
    const elsewhere = new HeldElsewhere({ held, board: between.board(self), taken, clock: systemClock });
    held.lookElsewhere(elsewhere);
    return { held, elsewhere };
  });
  const init = { owner: OWNER, target: 't', callId: toCallId('call'), startedAt: 0 };
  const id = places[0]!.held.hold(new OpenRound(init, (ending) => ends.push(ending)));
  const closeHolder = async (): Promise<void> => {
    const closed = places[0]!.elsewhere.close();
    await vi.advanceTimersByTimeAsync(5_000);
    await closed;
  };
  const taker = (): Promise<string | undefined> => findTaker(tickets, init.callId);
  return { between, ends, tickets, taker, closeHolder, claim: () => places[1]!.held.claim(id, OWNER) };
}

async function claimOne() {
  const { claim, ...rest } = holdOne();
  const claimed = await claim();
  if (!(claimed instanceof OpenRound)) throw new Error('it was not claimed');
  return { ...rest, claimed };
}

describe('a round that another replica claimed', () => {
  test('is ended where that one never heard that it has it', async () => {
    const { between, ends, claim } = holdOne();
    between.losesAnswers = true;
    expect(await claim()).toBeUndefined();
    between.losesAnswers = false;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ends).toEqual([{ outcome: 'cancelled', error: 'cancelled' }]);
  });

  test('is waited for while that one makes up its mind, and not for ever', async () => {
    const { ends } = await claimOne();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(ends).toEqual([]);
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(ends).toEqual([{ outcome: 'cancelled', error: 'cancelled' }]);
  });

  test('is ended by whoever goes on with it', async () => {
    const { ends, claimed } = await claimOne();
    claimed.take();
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(ends).toEqual([]);
  });

  test.each([
    ['while it was taken', 20_000],
    ['for longer than a claim is waited for', 120_000],
  ])('is ended by whoever goes on with it, also where nothing was heard %s', async (_, ms) => {
    const { between, ends, claimed } = await claimOne();
    between.isCut = true;
    claimed.take();
    await vi.advanceTimersByTimeAsync(ms);
    between.isCut = false;
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(ends).toEqual([]);
  });

  test('is ended once where that it will not go on was not heard', async () => {
    const { between, ends, claimed } = await claimOne();
    between.isCut = true;
    await claimed.end(new HubError('policy_denied', 'no'));
    await vi.advanceTimersByTimeAsync(120_000);
    expect(ends).toEqual([]);
    between.isCut = false;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ends).toHaveLength(1);
  });

  describe('and whose holder ends', () => {
    test('is left to the other, whether it has made up its mind or not', async () => {
      for (const taken of [true, false]) {
        const { ends, claimed, closeHolder, taker } = await claimOne();
        if (taken) claimed.take();
        await closeHolder();
        expect([ends, await taker()]).toEqual([[], OTHER]);
      }
    });

    test('is nobody’s where the other does not go on: it is found unfinished', async () => {
      const { ends, claimed, closeHolder, taker } = await claimOne();
      await closeHolder();
      await claimed.end(new HubError('policy_denied', 'no'));
      await vi.advanceTimersByTimeAsync(0);
      expect([ends, await taker()]).toEqual([[], undefined]);
    });

    test('is ended by its holder where the other does not know of it', async () => {
      const { between, ends, claim, closeHolder, taker } = holdOne();
      between.losesAnswers = true;
      expect(await claim()).toBeUndefined();
      between.losesAnswers = false;
      await closeHolder();
      expect(ends).toEqual([{ outcome: 'cancelled', error: 'shutting_down' }]);
      expect(await taker()).toBeUndefined();
    });

    test('is left as it is where the other cannot be asked', async () => {
      const { between, ends, closeHolder, taker } = await claimOne();
      between.isCut = true;
      await closeHolder();
      expect([ends, await taker()]).toEqual([[], OTHER]);
    });
  });

  test('does not go on where that cannot be written down, and is ended by its holder', async () => {
    const { ends, claim, tickets } = holdOne();
    tickets.put = () => Promise.reject(new HubError('storage_unavailable', 'no'));
    expect(await claim()).toBeUndefined();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ends).toHaveLength(1);
  });

  test('is ended where the other is gone', async () => {
    const { between, ends } = await claimOne();
    between.gone.add(OTHER);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ends).toHaveLength(1);
  });
});
