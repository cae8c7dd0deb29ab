import { expect, test } from 'vitest';
import { HubError, type HubErrorCode } from '../kernel/index.js';
import { lastWins } from './last-wins.js';

/** Fails so often, then answers how often it was tried. */
function failing(times: number, code: HubErrorCode): () => Promise<number> {
  let tried = 0;
  return async () => {
    if (++tried <= times) throw new HubError(code, 'not now');
    return tried;
  };
}

test('a change that another one got ahead of is made again, and not for ever', async () => {
  expect(await lastWins(undefined, failing(0, 'precondition_failed'))()).toBe(1);
  expect(await lastWins(undefined, failing(4, 'precondition_failed'))()).toBe(5);
  await expect(lastWins(undefined, failing(5, 'precondition_failed'))()).rejects.toMatchObject({
    code: 'precondition_failed',
  });
});

test('whoever names a version is told, and so is everybody of what else went wrong', async () => {
  await expect(lastWins(1, failing(1, 'precondition_failed'))()).rejects.toThrow('not now');
  await expect(lastWins(undefined, failing(1, 'conflict'))()).rejects.toThrow('not now');
});
