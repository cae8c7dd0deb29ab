import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createKeychain, type Keychain } from '../keychain.js';
import { findKeyPlace } from './key-place.js';
import { openMasterKeys, requireMasterKeys } from './open-master-keys.js';

const KEY = Buffer.alloc(32, 7).toString('base64');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosspoint-key-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function memoryKeychain(): Keychain & { readonly entries: Map<string, string> } {
  const entries = new Map<string, string>();
  return {
    entries,
    find: (name) => entries.get(name),
    save: (name, value) => void entries.set(name, value),
    remove: (name) => entries.delete(name),
  };
}

describe('the data folder', () => {
  test('holds a key from the first start on, for its owner only', () => {
    const place = findKeyPlace(undefined, folder);
    const keys = openMasterKeys(place);
    expect(keys.active.id).toBe('master');
    expect(openMasterKeys(place)).toEqual(keys);
    expect(statSync(join(folder, 'master.key')).mode & 0o777).toBe(0o600);
  });

  test('that was emptied is not filled with another key', () => {
    writeFileSync(join(folder, 'master.key'), '\n');
    expect(() => openMasterKeys(findKeyPlace(undefined, folder))).toThrow(/is empty/);
  });

  test('without one is refused where a new one would open nothing', () => {
    expect(() => requireMasterKeys(findKeyPlace(undefined, folder))).toThrow(/there is no master key/);
  });
});

describe('elsewhere', () => {
  test('the environment holds the key itself', () => {
    const place = findKeyPlace(`prod:${KEY}`, folder);
    expect(openMasterKeys(place).active.id).toBe('prod');
    expect(place.write).toBeUndefined();
  });

  test('a file of somebody else is read and never made', () => {
    const path = join(folder, 'mounted');
    expect(() => openMasterKeys(findKeyPlace(`file:${path}`, folder))).toThrow(/cannot be read/);
    writeFileSync(path, KEY);
    const place = findKeyPlace(`file:${path}`, folder);
    expect(openMasterKeys(place).active.key.toString('base64')).toBe(KEY);
    expect(place.write).toBeUndefined();
    expect(readFileSync(path, 'utf8')).toBe(KEY);
  });

  test('a keychain holds it under a name', () => {
    const keychain = memoryKeychain();
    const keys = openMasterKeys(findKeyPlace('keychain:', folder, keychain));
    expect(openMasterKeys(findKeyPlace('keychain:default', folder, keychain))).toEqual(keys);
    expect(openMasterKeys(findKeyPlace('keychain:other', folder, keychain))).not.toEqual(keys);
    expect([...keychain.entries.keys()]).toEqual(['default', 'other']);
  });
});

describe('where there is no keychain', () => {
  test.each([
    [
      'because the library is missing',
      () =>
        createKeychain('crosspoint', () => {
          throw new Error('not found');
        }),
    ],
    [
      'because nobody answers',
      () =>
        createKeychain(
          'crosspoint',
          () =>
            ({
              Entry: class {
                getPassword(): string {
                  throw new Error('AccessDenied');
                }
              },
            }) as never,
        ),
    ],
  ])('%s, the start is refused with what to do', (_why, keychain) => {
    expect(() => openMasterKeys(findKeyPlace('keychain:', folder, keychain()))).toThrow(
      expect.objectContaining({
        code: 'config_invalid',
        message: expect.stringMatching(/no keychain .* file or in the environment instead/) as string,
      }),
    );
  });
});
