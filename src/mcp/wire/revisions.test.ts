import { expect, test } from 'vitest';
import {
  allowsBatches,
  isAtLeast,
  isLegacyRevision,
  isModernRevision,
  LEGACY_REVISIONS,
  MODERN_REVISIONS,
  negotiateLegacy,
  understandsPriming,
} from './index.js';
import { isBeforeModern, isModernDate } from './revisions.js';

test('S64: a version we speak is echoed', () => {
  for (const revision of LEGACY_REVISIONS) expect(negotiateLegacy(revision)).toBe(revision);
});

test.each([
  '2026-07-28',
  '2027-01-01',
  '2024-10-07',
  '1.0',
  '',
  ' 2025-06-18',
  20250618,
  null,
  undefined,
  {},
  ['2025-06-18'],
])('S64: %j is answered with the newest legacy version', (requested) => {
  expect(negotiateLegacy(requested)).toBe('2025-11-25');
});

test('every revision belongs to one era', () => {
  for (const revision of LEGACY_REVISIONS) {
    expect([isLegacyRevision(revision), isModernRevision(revision), isModernDate(revision)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(isBeforeModern(revision)).toBe(true);
  }
  for (const revision of MODERN_REVISIONS) {
    expect([isLegacyRevision(revision), isModernRevision(revision), isModernDate(revision)]).toEqual([
      false,
      true,
      true,
    ]);
    expect(isBeforeModern(revision)).toBe(false);
  }
});

test.each([
  ['2026-07-27', false],
  ['2026-07-28', true],
  ['2031-01-01', true],
  ['2026-07-28, 2026-07-28', false],
  ['garbage', false],
  ['9', false],
  [undefined, false],
  [20270101, false],
])('%j is dated in the modern era: %j', (version, expected) => {
  expect(isModernDate(version)).toBe(expected);
});

test('lists are newest first and compare by date', () => {
  for (const list of [LEGACY_REVISIONS, MODERN_REVISIONS])
    expect([...list].toSorted().toReversed()).toEqual([...list]);
  expect(isAtLeast('2025-06-18', '2025-06-18')).toBe(true);
  expect(isAtLeast('2025-11-25', '2025-06-18')).toBe(true);
  expect(isAtLeast('2024-11-05', '2025-03-26')).toBe(false);
});

test('S12, S13: one revision has batches; S73: one understands priming events', () => {
  expect(LEGACY_REVISIONS.filter(allowsBatches)).toEqual(['2025-03-26']);
  expect(LEGACY_REVISIONS.filter(understandsPriming)).toEqual(['2025-11-25']);
});
