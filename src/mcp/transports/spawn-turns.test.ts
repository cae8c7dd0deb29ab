import { expect, test } from 'vitest';

import { SpawnTurns } from './spawn-turns.js';

test('those who come together are called in order, with a turn of the event loop between any two', async () => {
  const turns = new SpawnTurns();
  const seen: string[] = [];
  let turn = 0;
  const count = () => {
    turn++;
    if (turn < 20) setImmediate(count);
  };
  setImmediate(count);
  const began: number[] = [];
  await Promise.all(
    ['first', 'second', 'third'].map(async (name) => {
      await turns.next();
      seen.push(name);
      began.push(turn);
    }),
  );
  expect(seen).toEqual(['first', 'second', 'third']);
  expect(new Set(began).size).toBe(3);
});
