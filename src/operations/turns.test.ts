import { expect, test } from 'vitest';
import { createTurns } from './turns.js';

test('work on one thing happens in order, work on another meanwhile', async () => {
  const turns = createTurns();
  const seen: string[] = [];
  let open: () => void = () => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  const first = turns('a', async () => {
    await gate;
    seen.push('a1');
  });
  const second = turns('a', async () => {
    seen.push('a2');
  });
  await turns('b', async () => {
    seen.push('b');
  });
  expect(seen).toEqual(['b']);
  open();
  await Promise.all([first, second]);
  expect(seen).toEqual(['b', 'a1', 'a2']);
});

test('a failure is the failing one’s own', async () => {
  const turns = createTurns();
  const failing = turns('a', async () => {
    throw new Error('no');
  });
  const next = turns('a', async () => 'yes');
  await expect(failing).rejects.toThrow('no');
  await expect(next).resolves.toBe('yes');
});
