import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CallBook, type CallCounts } from '../support/soak/call-book.js';
import type { Gauges } from '../support/soak/gauges.js';
import { findBroken, slopeOf, type SoakReport } from '../support/soak/judge-soak.js';
import { runSoak } from '../support/soak/run-soak.js';

/** The short form of `npm run soak`. */

/** Clients keep connections for some seconds after their last use: as many as were busy at once. */
const BOUNDS = { slopeBytesPerHour: undefined, descriptorSlack: 150, children: 2 };

describe('sessions, streams, questions and processes that come and go', () => {
  let folder = '';
  let report: SoakReport;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'crosspoint-soak-'));
    report = await runSoak({
      folder,
      seconds: 3,
      rate: 40,
      agents: 6,
      idleStopMs: 300,
      sampleSeconds: 3,
      quietMs: 20_000,
      children: BOUNDS.children,
      seed: 1,
    });
  }, 180_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('no answer is lost, none goes to another, nothing is carried out twice', () => {
    const { lost, crossed, doubled, invented } = report.counts;
    expect({ lost, crossed, doubled, invented, examples: report.examples }).toMatchObject({
      lost: 0,
      crossed: 0,
      doubled: 0,
      invented: 0,
    });
    expect(report.counts.answered).toBeGreaterThan(20);
    expect(report.counts.cancelled).toBeGreaterThan(0);
  });

  test('everything is given back', () => expect(findBroken(report, BOUNDS)).toEqual([]));
});

describe('the judgement itself finds', () => {
  const gauges: Gauges = {
    at: 0,
    rssBytes: 1e8,
    heapBytes: 5e7,
    descriptors: 30,
    children: 0,
    sessions: 0,
    parked: 0,
  };
  const counts: CallCounts = {
    made: 10,
    answered: 8,
    refused: 1,
    cancelled: 1,
    lost: 0,
    crossed: 0,
    doubled: 0,
    invented: 0,
  };
  const fine: SoakReport = {
    counts,
    abandoned: 2,
    unheard: 0,
    samples: [gauges, { ...gauges, at: 60, sessions: 2, descriptors: 40 }],
    seconds: 60,
    examples: [],
  };
  const last = (change: Partial<Gauges>): Partial<SoakReport> => ({
    samples: [gauges, { ...gauges, at: 60, ...change }],
  });
  test.each<readonly [string, Partial<SoakReport>]>([
    ['a lost answer', { counts: { ...counts, answered: 7, lost: 1 } }],
    ['a crossed answer', { counts: { ...counts, crossed: 1 } }],
    ['a second execution', { counts: { ...counts, doubled: 1 } }],
    ['an answer to nothing', { counts: { ...counts, invented: 1 } }],
    ['a call without an end', { counts: { ...counts, made: 11 } }],
    ['a process that stayed', last({ children: 3 })],
    ['a parked call that stayed', last({ parked: 1 })],
    ['a session too many', last({ sessions: 3 })],
    ['descriptors that stayed', last({ descriptors: 31 + BOUNDS.descriptorSlack })],
  ])('%s', (_what, broken) => {
    expect(findBroken(fine, BOUNDS)).toEqual([]);
    expect(findBroken({ ...fine, ...broken }, BOUNDS)).toHaveLength(1);
  });

  test('memory that grows', () => {
    const growing = [0, 1, 2, 3, 4, 5].map((n) => ({ ...gauges, at: n * 600, rssBytes: 1e8 + n * 1e7 }));
    expect(slopeOf(growing, ({ rssBytes }) => rssBytes)).toBeCloseTo(6e7);
    expect(findBroken({ ...fine, samples: growing }, { ...BOUNDS, slopeBytesPerHour: 2e7 })).toEqual([
      'memory grows by 60.0 MB per hour',
    ]);
  });

  test('in the book: what was carried out twice, answered twice, or by nobody', () => {
    const book = new CallBook();
    const [once, twice, never, unheard] = [book.begin(), book.begin(), book.begin(), '77'];
    for (const call of [once, twice, twice, unheard]) book.carriedOut(call);
    for (const call of [once, twice, never, once]) book.answered(call);
    expect(book.counts()).toMatchObject({ made: 3, doubled: 1, invented: 1, crossed: 2 });
    for (let n = 0; n < 70_000; n++) book.carriedOut(book.begin());
    expect(book.counts()).toMatchObject({ made: 70_003, doubled: 1, crossed: 2 });
  });
});
