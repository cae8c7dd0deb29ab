import { describe, expect, test, vi } from 'vitest';
import { idOf, SSE } from '../../../test/support/http/answers.js';
import { host, open, request, resultText } from '../../../test/support/http/open.js';
import { EventBacklog, EventPacer, endOfEvents } from './event-pacer.js';

const event = (n: number): string => `event: message\ndata: ${n}\n\n`;
const many = (count: number): string => Array.from({ length: count }, (_, n) => event(n)).join('');

test.each([
  ['', 0],
  ['data: x', 7],
  [many(8), many(8).length],
  [many(9), many(8).length],
  [many(8).slice(0, -1), many(8).length - 1],
  [many(20).replaceAll('\n', '\r\n'), many(8).replaceAll('\n', '\r\n').length],
])('of %j the first events end at %i', (text, end) => {
  expect(endOfEvents(Buffer.from(text), 0)).toBe(end);
});

test('a backlog gives back what it got, in pieces of few events', () => {
  const backlog = new EventBacklog();
  const texts = [many(20), 'data: half', '\n\n'];
  for (const text of texts) backlog.push(Buffer.from(text));
  const pieces: string[] = [];
  for (let piece = backlog.take(); piece !== undefined; piece = backlog.take()) pieces.push(piece.toString());
  expect(pieces.join('')).toBe(texts.join(''));
  expect(pieces).toHaveLength(5);
  expect(backlog.isEmpty).toBe(true);
});

test('streams take turns, and each turn of the event loop is short while there is something else to do', async () => {
  let now = 0;
  const pacer = new EventPacer({ now: () => now });
  const order: string[] = [];
  const stream = (name: string, steps: number) => ({
    step: () => {
      order.push(name);
      now += 0.02;
      return --steps > 0;
    },
  });
  pacer.add(stream('a', 4));
  pacer.add(stream('b', 2));
  const between = (): void => {
    order.push('|');
    now += 1;
    if (order.filter((one) => one !== '|').length < 6) setImmediate(between);
  };
  setImmediate(between);
  await vi.waitFor(() => expect(order.filter((one) => one !== '|')).toHaveLength(6));
  expect(order.join('')).toMatch(/^ab\|ab\|aa/);
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
