import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { idOf, SSE } from '../../../test/support/http/answers.js';
import { host, open, request, resultText } from '../../../test/support/http/open.js';
import { LoopUse, ReadPacer } from './read-pacer.js';

function setUp() {
  let now = 1000;
  const order: string[] = [];
  return {
    order,
    pacer: new ReadPacer({ now: () => now, loop: new LoopUse() }),
    pass: (ms: number) => (now += ms),
    stream: (name: string, steps: number, stepMs = 0.02) => ({
      step: () => {
        order.push(name);
        now += stepMs;
        return --steps > 0;
      },
    }),
  };
}

test('streams take turns, and each turn of the event loop is short', async () => {
  const { pacer, order, stream } = setUp();
  pacer.add(stream('a', 4), 0);
  pacer.add(stream('b', 2), 0);
  const between = (): void => {
    order.push('|');
    if (order.filter((one) => one !== '|').length < 6) setImmediate(between);
  };
  setImmediate(between);
  await vi.waitFor(() => expect(order.filter((one) => one !== '|')).toHaveLength(6));
  expect(order.join('')).toMatch(/^ab\|ab\|aa/);
});

describe('a server that goes on for longer than a moment', () => {
  afterEach(() => vi.useRealTimers());

  /** What it has used of 100 ms. */
  async function useOf100Ms(isOtherAsked: boolean): Promise<number> {
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
    let usedMs = 0;
    const loop = new LoopUse();
    const pacer = new ReadPacer({ now: () => performance.now() + usedMs, loop });
    const other = new ReadPacer({ loop });
    const step = (): boolean => {
      pacer.ask();
      if (isOtherAsked) other.ask();
      usedMs += 0.1;
      return true;
    };
    pacer.add({ step }, 0);
    while (performance.now() + usedMs < 100) {
      const before = usedMs;
      await nextTurn();
      if (usedMs === before) vi.advanceTimersByTime(1);
    }
    return usedMs;
  }

  test('has a thirtieth of the time, and two milliseconds at once, while others are asked too', async () => {
    const used = await useOf100Ms(true);
    expect(used).toBeGreaterThan(4);
    expect(used).toBeLessThan(7);
  });

  test('what reading from the system costs counts too', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const { pacer, pass, stream, order } = setUp();
    // The two milliseconds of the beginning are used up before the first step; one slice was due already.
    for (let n = 0; n < 200; n++) pacer.add(stream('a', 1), 64 * 1024);
    pass(1);
    await nextTurn();
    await nextTurn();
    expect([order.length, vi.getTimerCount()]).toEqual([2, 1]);
  });

  test('has most of the time while nobody else is asked', async () => {
    expect(await useOf100Ms(false)).toBeGreaterThan(60);
  });
});

describe('small pieces', () => {
  test('are few at first; then as many as time gives, up to an answer', () => {
    const { pacer, pass } = setUp();
    expect(pacer.admits(4096)).toBe(true);
    expect(pacer.admits(100)).toBe(false);
    pass(1);
    expect([pacer.admits(200), pacer.admits(100)]).toEqual([true, false]);
    pass(60_000);
    expect([pacer.admits(4096), pacer.admits(1)]).toEqual([true, false]);
  });

  test('what is asked for is welcome, within a bound', () => {
    const { pacer, pass } = setUp();
    pacer.admits(4096);
    for (let n = 0; n < 5; n++) pacer.expect();
    pass(10);
    for (let n = 0; n < 5; n++) expect(pacer.admits(4096)).toBe(true);
    expect(pacer.admits(4096)).toBe(false);
    for (let n = 0; n < 1_000; n++) pacer.expect();
    expect([pacer.admits(65_536), pacer.admits(1)]).toEqual([true, false]);
  });
});

describe('a flood', () => {
  test.each(['ends', 'stays open', 'breaks off'])('is passed on whole and in order; it %s', async (how) => {
    const count = 3_000;
    const notices = Array.from(
      { length: count },
      (_, n) => `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":${n}}}\n\n`,
    ).join('');
    const server = await host((seen, response) => {
      response.writeHead(200, SSE);
      const text = how === 'breaks off' ? notices : `${notices}data: ${resultText(idOf(seen))}\n\n`;
      response.write(text, () => {
        if (how === 'ends') response.end();
        if (how === 'breaks off') response.destroy();
      });
    });
    const { transport, receiver } = await open(server.url);
    let turns = 0;
    const turn = (): void => {
      turns++;
      turning = setImmediate(turn);
    };
    let turning = setImmediate(turn);
    const sent = transport.send(request(1));
    if (how === 'breaks off') await expect(sent).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    else await sent;
    clearImmediate(turning);
    const data = receiver.received.map(({ message }) =>
      message.kind === 'notification' ? message.params?.['data'] : message.kind,
    );
    expect(data.slice(0, count)).toEqual(Array.from({ length: count }, (_, n) => n));
    expect(data.slice(count)).toEqual(how === 'breaks off' ? [] : ['result']);
    expect(turns).toBeGreaterThan(20);
    if (how === 'breaks off') return;
    await transport.send(request(2));
    expect(receiver.received).toHaveLength(2 * (count + 1));
  });
});
