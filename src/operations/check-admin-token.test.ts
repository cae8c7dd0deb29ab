import { beforeEach, expect, test } from 'vitest';
import { digestKey, type Agent, type KnownAdmin } from '../agents/index.js';
import type { HubEvent } from '../governance/index.js';
import { createCheckAdminToken } from './check-admin-token.js';
import { createRefusedAttempts } from './refused-attempts.js';

let now = 0;
let recorded: HubEvent[] = [];
beforeEach(() => {
  now = 0;
  recorded = [];
});

function open() {
  const attempts = createRefusedAttempts({
    events: { append: (_who, event) => void recorded.push(event) },
    clock: { now: () => 0, monotonic: () => now },
    board: { tell: () => {}, serve: () => () => {} },
  });
  const check = createCheckAdminToken({
    admins: {
      findByTokenDigest: (digest) =>
        Promise.resolve(
          digest === digestKey('good')
            ? ({ id: 'anna', role: 'viewer', name: 'Anna' } as KnownAdmin)
            : undefined,
        ),
    },
    authenticator: {
      authenticate: (key) => {
        if (key === 'broken') throw new Error('no store');
        return key === 'cpk_agent' ? ({ id: 'ci' } as unknown as Agent) : undefined;
      },
    },
    attempts,
  });
  return (token: string, address = '192.0.2.1') => check({ token, address });
}

test('a token leads to its admin, and nothing is recorded', async () => {
  expect(await open()('good')).toEqual({ id: 'anna', role: 'viewer' });
  expect(recorded).toEqual([]);
});

test('a wrong one leads to nobody and is recorded, with where it came from', async () => {
  expect(await open()('wrong')).toBeUndefined();
  expect(recorded).toEqual([
    {
      type: 'auth.refused',
      surface: 'admin',
      reason: expect.stringMatching(/wrong.* from 192\.0\.2\.1$/) as string,
    },
  ]);
});

test('after ten guesses in five minutes even the right one must wait', async () => {
  const check = open();
  for (let n = 0; n < 10; n++) {
    now = n * 1_000;
    await check('wrong');
  }
  now = 10_000;
  await expect(check('good')).rejects.toMatchObject({ code: 'rate_limited', retryAfterMs: 290_000 });
  expect(await check('good', '192.0.2.2')).toMatchObject({ id: 'anna' });
  expect(recorded).toHaveLength(10);
  now = 299_999;
  await expect(check('good')).rejects.toMatchObject({ retryAfterMs: 1 });
  now = 300_000;
  expect(await check('good')).toMatchObject({ id: 'anna' });
});

test('the key of an agent is a mix-up: recorded for a while, never a guess', async () => {
  const check = open();
  for (let n = 0; n < 12; n++) expect(await check('cpk_agent')).toBeUndefined();
  expect(recorded).toHaveLength(10);
  expect(recorded[0]).toMatchObject({ reason: expect.stringMatching(/key of an agent/) as string });
  expect(await check('good')).toMatchObject({ id: 'anna' });
});

test('where keys cannot be looked up it is a guess', async () => {
  const check = open();
  for (let n = 0; n < 10; n++) await check('broken');
  await expect(check('good')).rejects.toMatchObject({ code: 'rate_limited' });
});
