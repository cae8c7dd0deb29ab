import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createAcceptedPolicies } from './accepted-policies.js';

const folder = mkdtempSync(join(tmpdir(), 'crosspoint-accepted-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the last set is known after a start, others are not', () => {
  const path = join(folder, 'policies.accepted');
  expect(createAcceptedPolicies(path).isKnown('one')).toBe(false);
  createAcceptedPolicies(path).remember('one');
  createAcceptedPolicies(path).remember('two');
  const next = createAcceptedPolicies(path);
  expect([next.isKnown('one'), next.isKnown('two'), next.isKnown('')]).toEqual([false, true, false]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, 'utf8')).toBe('two\n');
});

test('where no file can be there nothing is known, and nothing fails', () => {
  const accepted = createAcceptedPolicies(join(folder, 'missing', 'policies.accepted'));
  accepted.remember('one');
  expect(accepted.isKnown('one')).toBe(false);
});
