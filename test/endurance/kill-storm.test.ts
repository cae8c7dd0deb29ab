import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findViolations, runStorm, type Histories } from '../support/kill-storm.js';

/** The short form of `npm run faults`. */

describe('F12: a hub that is killed again and again under load', () => {
  let folder = '';
  let seen: Histories;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'crosspoint-storm-'));
    // Long enough for a first write: the admin API is loaded when it is first asked.
    seen = await runStorm({ folder, kills: 3, lifeMs: [1_000, 3_000], callers: 8 });
  }, 180_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('I1 to I4: what clients, hub and upstream saw agrees', () => {
    expect(seen.executed.length).toBeGreaterThanOrEqual(15);
    expect(seen.acknowledged.length).toBeGreaterThan(0);
    expect(findViolations(seen)).toEqual([]);
  });

  test('the log is whole', () => expect(seen.chain).toMatchObject({ ok: true }));
});

describe('the check itself finds', () => {
  const fine: Histories = {
    answered: [1],
    unanswered: [2],
    refused: [],
    executed: [1, 2],
    intended: [1, 2],
    endings: new Map([
      ['a', 1],
      ['b', 1],
    ]),
    acknowledged: ['x'],
    present: ['x', 'local'],
    readyMs: [],
    startCpuMs: [],
    chain: {},
  };
  test.each<readonly [string, Partial<Histories>]>([
    ['an answer too many', { answered: [1, 1] }],
    ['an error without a reason', { refused: [3] }],
    ['a second execution', { executed: [1, 2, 2] }],
    ['an answer without an execution', { answered: [1, 3] }],
    ['an execution without a record', { intended: [1] }],
    ['a call without an end', { endings: new Map([['a', 0]]) }],
    ['a call that ended twice', { endings: new Map([['a', 2]]) }],
    ['a lost write', { present: ['local'] }],
  ])('%s', (_what, broken) => {
    expect(findViolations(fine)).toEqual([]);
    expect(findViolations({ ...fine, ...broken })).toHaveLength(1);
  });
});
