import { expect, test } from 'vitest';
import type { HubEvent } from '../governance/index.js';
import type { LineListener } from '../kernel/index.js';
import { createRefusedAttempts } from './refused-attempts.js';

const GUESS = { address: '192.0.2.1', surface: 'admin', reason: 'unknown token', isGuess: true } as const;
const MIX_UP = { ...GUESS, reason: 'an agent key', isGuess: false };

/** Two processes of one hub, each of which hears what the other says. */
function openTwo() {
  const listeners: LineListener[] = [];
  const recorded: HubEvent[] = [];
  const open = (self: number) =>
    createRefusedAttempts({
      events: { append: (_who, event) => void recorded.push(event) },
      clock: { now: () => 0, monotonic: () => 0 },
      board: {
        serve: (_line, listener) => {
          listeners[self] = listener;
          return () => {};
        },
        tell: (_to, _line, body) => listeners[1 - self]?.told?.('', body),
      },
    });
  return { one: open(0), other: open(1), recorded };
}

test('B4.5: guesses of one address count together, whichever process they came to', () => {
  const { one, other, recorded } = openTwo();
  for (let i = 0; i < 5; i++) for (const process of [one, other]) process.note(GUESS);
  expect(recorded).toHaveLength(10);
  for (const process of [one, other]) {
    expect(() => process.requireFew('192.0.2.1')).toThrow(expect.objectContaining({ code: 'rate_limited' }));
    process.requireFew('192.0.2.2');
  }
});

test('a key at the wrong door is no guess, neither here nor there', () => {
  const { one, other, recorded } = openTwo();
  for (let i = 0; i < 10; i++) one.note(MIX_UP);
  for (const process of [one, other]) process.requireFew('192.0.2.1');
  expect(recorded[0]).toEqual({
    type: 'auth.refused',
    surface: 'admin',
    reason: 'an agent key from 192.0.2.1',
  });
});
