import { expect, test } from 'vitest';
import type { Exchange } from '../exchange.js';
import { WatchedExchange } from './watched-exchange.js';

function setUp() {
  const said: string[] = [];
  const gone: (() => void)[] = [];
  const inner: Exchange = {
    method: 'POST',
    target: '/mcp',
    headers: {},
    body: Buffer.from('{}'),
    send: (status) => void said.push(`send ${status}`),
    sendParts: (status) => void said.push(`parts ${status}`),
    stream: (status) => {
      said.push(`stream ${status}`);
      return {
        buffered: 3,
        write: (chunk) => said.push(chunk) > 0,
        end: () => void said.push('end'),
        abort: () => void said.push('abort'),
      };
    },
    onAbort: (listener) => void gone.push(listener),
  };
  const exchange = new WatchedExchange(inner, () => said.push('over'));
  return { said, exchange, leave: () => gone.forEach((listener) => listener()) };
}

test('it is over with the whole answer, and that once', () => {
  const { said, exchange, leave } = setUp();
  exchange.send(200, {}, 'x');
  leave();
  expect(said).toEqual(['send 200', 'over']);
});

test('an answer in parts is an answer; where there is no such thing, it stays so', () => {
  const { said, exchange } = setUp();
  exchange.sendParts?.(200, {}, ['x']);
  expect(said).toEqual(['parts 200', 'over']);
  const { sendParts: _, ...without } = { ...exchange, onAbort: () => {} } as unknown as Exchange;
  expect(new WatchedExchange(without as Exchange, () => {}).sendParts).toBeUndefined();
});

test.each(['end', 'abort'] as const)('a stream is over at its end: %s', (how) => {
  const { said, exchange } = setUp();
  const stream = exchange.stream(200, {});
  expect([stream.write('a'), stream.buffered]).toEqual([true, 3]);
  stream[how]();
  expect(said).toEqual(['stream 200', 'a', how, 'over']);
});

test('nobody waits for the answer any longer', () => {
  const { said, leave } = setUp();
  leave();
  expect(said).toEqual(['over']);
});
