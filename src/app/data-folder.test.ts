import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDataFolder } from './data-folder.js';

let path = '';
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'crosspoint-data-'));
});
afterEach(() => rmSync(path, { recursive: true, force: true }));

const open = () => openDataFolder({ path, adminToken: undefined, masterKey: undefined });

test('tokens are made once, and found again', () => {
  const { adminToken, localToken, isNew } = open();
  const again = open();
  expect([isNew, again.isNew]).toEqual([true, false]);
  expect(again.adminToken.reveal()).toBe(adminToken.reveal());
  expect(again.localToken.reveal()).toBe(localToken.reveal());
  expect(readFileSync(join(path, 'admin.token'), 'utf8')).toBe(`${adminToken.reveal()}\n`);
});

test.each(['admin.token', 'local.token'])(
  '%s that was cut off, or that somebody could guess, is refused',
  (name) => {
    for (const [text, reason] of [
      ['', /is empty: restore it/],
      ['short', /is too short: at least 20 characters$/],
      ['change-me-change-me-change-me', /is too easy to guess/],
    ] as const) {
      writeFileSync(join(path, name), text);
      expect(open).toThrow(reason);
      expect(open).toThrow(join(path, name));
    }
  },
);
