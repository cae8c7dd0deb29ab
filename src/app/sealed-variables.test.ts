import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Secret } from '../kernel/index.js';
import { forgetVariables, readSealedVariables, sealVariables } from './sealed-variables.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosspoint-variables-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const file = (): string => join(folder, 'variables.json');

test('a sealed value is read again, and is nowhere in clear', async () => {
  const vault = { folder, masterKey: undefined };
  expect(await readSealedVariables(vault)).toEqual({});
  await sealVariables(vault, { A_TOKEN: new Secret('first-value'), B: new Secret('second-value') });
  await sealVariables(vault, { B: new Secret('third-value') });
  expect(await readSealedVariables(vault)).toEqual({ A_TOKEN: 'first-value', B: 'third-value' });
  expect(readFileSync(file(), 'utf8')).not.toMatch(/-value/);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
});

test('what is forgotten is gone', async () => {
  const vault = { folder, masterKey: undefined };
  await sealVariables(vault, { A: new Secret('one'), B: new Secret('two') });
  expect(forgetVariables(folder, ['A', 'C'])).toEqual(['A']);
  expect(await readSealedVariables(vault)).toEqual({ B: 'two' });
});

test('another master key, another name or a damaged file opens nothing', async () => {
  const key = (byte: number): string => Buffer.alloc(32, byte).toString('base64');
  await sealVariables({ folder, masterKey: key(1) }, { A: new Secret('one') });
  await expect(readSealedVariables({ folder, masterKey: key(2) })).rejects.toMatchObject({
    code: 'config_invalid',
  });
  const { A } = JSON.parse(readFileSync(file(), 'utf8')) as { A: string };
  writeFileSync(file(), JSON.stringify({ B: A }));
  await expect(readSealedVariables({ folder, masterKey: key(1) })).rejects.toMatchObject({
    code: 'config_invalid',
  });
  writeFileSync(file(), '{"A":');
  await expect(readSealedVariables({ folder, masterKey: key(1) })).rejects.toMatchObject({
    code: 'config_invalid',
  });
});

test('settings of the hub itself cannot be sealed', async () => {
  await expect(
    sealVariables({ folder, masterKey: undefined }, { CROSSPOINT_HOST: new Secret('0.0.0.0') }),
  ).rejects.toMatchObject({ code: 'invalid_request' });
  writeFileSync(file(), JSON.stringify({ CROSSPOINT_HOST: 'x' }));
  expect(await readSealedVariables({ folder, masterKey: undefined })).toEqual({});
});
