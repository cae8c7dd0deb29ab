import { describe, expect, test } from 'vitest';
import { Core } from '../core.js';
import type { AnswerStream, Exchange } from '../exchange.js';
import type { ServerEvent } from '../server-event.js';
import { EventStream } from './event-stream.js';
import { HttpReply } from './http-reply.js';

/** An exchange whose reader is as slow as the test says. */
class SlowExchange implements Exchange, AnswerStream {
  readonly method = 'POST';
  readonly target = '/mcp';
  readonly headers = {};
  readonly body = new Uint8Array();
  readonly log: string[] = [];
  buffered = 0;
  left: () => void = () => {};
  send(status: number, _headers: object, body?: string | Uint8Array): void {
    this.log.push(`${status} ${String(body ?? '')}`);
  }
  stream(): AnswerStream {
    this.log.push('stream');
    return this;
  }
  onAbort(listener: () => void): void {
    this.left = listener;
  }
  write(chunk: string): boolean {
    this.log.push(/data: (.*)/.exec(chunk)?.[1] ?? chunk.trim());
    return true;
  }
  end(): void {
    this.log.push('end');
  }
  abort(): void {
    this.log.push('abort');
  }
}

function open(): { core: Core; exchange: SlowExchange; events: ServerEvent[] } {
  const events: ServerEvent[] = [];
  const core = new Core({
    describe: { info: { name: 'x', version: '1' }, capabilities: {} },
    handlers: {},
    limits: { slowStreamBytes: 100, maxStreamBytes: 1000 },
    onEvent: (event) => events.push(event),
  });
  return { core, exchange: new SlowExchange(), events };
}

const BOTH = { json: true, events: true };

describe('a stream with a slow reader', () => {
  test.each([
    [100, true],
    [101, false],
  ])('%i bytes behind: what may be dropped is sent: %s', (buffered, sent) => {
    const { core, exchange, events } = open();
    const stream = new EventStream(core, exchange);
    exchange.buffered = buffered;
    expect([stream.send('a', true), stream.send('b', false)]).toEqual([true, true]);
    expect(exchange.log).toEqual(sent ? ['stream', 'a', 'b'] : ['stream', 'b']);
    expect(events).toEqual(sent ? [] : [{ type: 'notification_dropped', reason: 'slow' }]);
  });

  test.each([
    [1000, true],
    [1001, false],
  ])('%i bytes behind: still open: %s', (buffered, stays) => {
    const { core, exchange, events } = open();
    const stream = new EventStream(core, exchange);
    let lost = 0;
    stream.onLost = () => {
      lost++;
    };
    exchange.buffered = buffered;
    expect(stream.send('a', false)).toBe(stays);
    expect([stream.open, lost, events.length]).toEqual([stays, stays ? 0 : 1, stays ? 0 : 1]);
    expect(exchange.log.at(-1)).toBe(stays ? 'a' : 'abort');
    stream.send('b', false);
    stream.end();
    expect(exchange.log.at(-1)).toBe(stays ? 'end' : 'abort');
  });

  test('slow at two signs of life without progress', () => {
    const { core, exchange } = open();
    const stream = new EventStream(core, exchange);
    for (let i = 0; i < 30; i++) stream.send('x'.repeat(30), false);
    exchange.buffered = 500;
    stream.beat();
    // As much is waiting as before, but the reader took some.
    stream.send('x'.repeat(100), false);
    stream.beat();
    expect(stream.open).toBe(true);
    exchange.buffered += 16 + 2;
    stream.beat();
    expect([stream.open, exchange.log.at(-1)]).toEqual([false, 'abort']);
    stream.beat();
    core.stopTimers();
  });

  test('what was slow once is forgiven', () => {
    const { core, exchange } = open();
    const stream = new EventStream(core, exchange);
    for (const buffered of [500, 0, 500, 0, 500]) {
      exchange.buffered = buffered;
      stream.beat();
    }
    expect(stream.open).toBe(true);
    core.stopTimers();
  });

  test('ending twice, and leaving after the end', () => {
    const { core, exchange } = open();
    const stream = new EventStream(core, exchange);
    const over: string[] = [];
    stream.onOver = () => over.push('over');
    stream.onLost = () => over.push('lost');
    stream.end();
    stream.end();
    stream.gone();
    expect([over, exchange.log]).toEqual([['over'], ['stream', 'end']]);
  });
});

describe('one answer', () => {
  test('and not two', () => {
    const { core, exchange } = open();
    const reply = new HttpReply(core, exchange, BOTH);
    expect([reply.answer('a', 200), reply.answer('b', 200), reply.push('c', false)]).toEqual([
      true,
      false,
      false,
    ]);
    reply.drop();
    reply.wait();
    reply.becomeStream();
    expect(exchange.log).toEqual(['200 a']);
  });

  test('nothing for a client that left', () => {
    const { core, exchange } = open();
    const reply = new HttpReply(core, exchange, BOTH);
    let gone = 0;
    reply.onGone = () => {
      gone++;
    };
    reply.wait();
    exchange.left();
    exchange.left();
    expect([reply.push('a', false), reply.answer('b', 200), gone, exchange.log]).toEqual([
      false,
      false,
      1,
      [],
    ]);
    core.stopTimers();
  });

  test('a stalled stream counts as a client that left', () => {
    const { core, exchange } = open();
    const reply = new HttpReply(core, exchange, BOTH);
    let gone = 0;
    reply.onGone = () => {
      gone++;
    };
    reply.push('a', false);
    exchange.buffered = 2000;
    expect(reply.push('b', false)).toBe(false);
    expect([gone, exchange.log]).toEqual([1, ['stream', 'a', 'abort']]);
    core.stopTimers();
  });

  test('a batch in which all was cancelled', () => {
    const { core, exchange } = open();
    const reply = new HttpReply(core, exchange, { json: true, events: false }, 2);
    reply.drop();
    reply.drop();
    expect(exchange.log).toEqual(['202 ']);
  });

  test('a status only where there is no stream', () => {
    const { core, exchange } = open();
    const reply = new HttpReply(core, exchange, BOTH);
    reply.push('a', false);
    reply.answer('b', 400);
    expect(exchange.log).toEqual(['stream', 'a', 'b', 'end']);
  });
});

test('what is replayed at once is not held against the reader', () => {
  const { core, exchange } = open();
  const stream = new EventStream(core, exchange);
  for (let i = 0; i < 30; i++) {
    stream.replay('x'.repeat(100), 'a-1.1');
    exchange.buffered += 130;
  }
  expect(stream.send('live', false)).toBe(true);
  exchange.buffered += 2000;
  expect(stream.send('live', false)).toBe(false);
});
