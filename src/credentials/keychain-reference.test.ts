import { expect, test } from 'vitest';
import { HubError, Secret } from '../kernel/index.js';
import { createKeychainReferences } from './keychain-reference.js';

function setUp(entries: Record<string, string>) {
  const time = { now: 0 };
  const asked: string[] = [];
  const references = createKeychainReferences(
    (name) => {
      asked.push(name);
      return entries[name];
    },
    { now: () => time.now, monotonic: () => time.now },
  );
  const resolve = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(
        references.resolve(
          Object.fromEntries(Object.entries(values).map(([name, value]) => [name, new Secret(value)])),
        ),
      ).map(([name, value]) => [name, value.reveal()]),
    );
  return { resolve, asked, entries, time };
}

test('a reference becomes what stands in the keychain; other values stay', () => {
  const { resolve, asked } = setUp({ tracker: 'from-the-keychain' });
  expect(resolve({ A: 'keychain:tracker', B: 'plain' })).toEqual({ A: 'from-the-keychain', B: 'plain' });
  expect(resolve({ B: 'plain' })).toEqual({ B: 'plain' });
  expect(asked).toEqual(['tracker']);
});

test('a value is remembered for a minute', () => {
  const { resolve, entries, time, asked } = setUp({ tracker: 'one' });
  resolve({ A: 'keychain:tracker' });
  entries['tracker'] = 'two';
  time.now = 59_999;
  expect(resolve({ A: 'keychain:tracker' })).toEqual({ A: 'one' });
  time.now = 60_001;
  expect(resolve({ A: 'keychain:tracker' })).toEqual({ A: 'two' });
  expect(asked).toHaveLength(2);
});

test('an entry that is not there says what to do', () => {
  expect(() => setUp({}).resolve({ A: 'keychain:tracker' })).toThrow(
    expect.objectContaining({
      code: 'credential_required',
      message: expect.stringContaining('crosspoint keychain set tracker') as string,
    }),
  );
});

test('where there is no keychain, that is said', () => {
  const references = createKeychainReferences(
    () => {
      throw new HubError('config_invalid', 'there is no keychain here');
    },
    { now: () => 0, monotonic: () => 0 },
  );
  expect(() => references.resolve({ A: new Secret('keychain:x') })).toThrow(
    expect.objectContaining({
      code: 'credential_required',
      message: expect.stringContaining('there is no keychain here') as string,
    }),
  );
});
