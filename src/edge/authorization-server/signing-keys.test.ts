import { createPrivateKey, sign, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createSigningKeys, KEY_PERIOD_MS } from './signing-keys.js';

function setUp() {
  const time = { now: 100 * KEY_PERIOD_MS };
  const asked: string[] = [];
  const secrets = {
    async require(name: string) {
      asked.push(name);
      return Promise.resolve(Buffer.alloc(32, name));
    },
  };
  const clock = { now: () => time.now, monotonic: () => time.now };
  return { time, asked, keys: createSigningKeys({ secrets, clock }) };
}

describe('signing keys', () => {
  test('sign what their public halves accept', async () => {
    const { keys } = setUp();
    const [current] = await keys.current();
    if (current === undefined) throw new Error('no key');
    const data = Buffer.from('something');
    const { kty, crv, x, y, d } = current;
    const signature = sign('sha256', data, createPrivateKey({ key: { kty, crv, x, y, d }, format: 'jwk' }));
    const known = await keys.findPublic(current.kid);
    expect(known !== undefined && verify('sha256', data, known, signature)).toBe(true);
    expect(await keys.findPublic('other')).toBeUndefined();
  });

  test('are made once, and are the same for every process on the store', async () => {
    const { keys, asked } = setUp();
    expect(await keys.current()).toBe(await keys.current());
    expect(asked).toHaveLength(3);
    expect((await setUp().keys.current()).map(({ kid }) => kid)).toEqual(
      (await keys.current()).map(({ kid }) => kid),
    );
  });

  test('change with time: the next is known before, the last for a while after', async () => {
    const { keys, time } = setUp();
    const [now, , next] = await keys.current();
    time.now += KEY_PERIOD_MS;
    const later = await keys.current();
    expect(later.map(({ kid }) => kid).slice(0, 2)).toEqual([next?.kid, now?.kid]);
    time.now += KEY_PERIOD_MS;
    expect(await keys.findPublic(now?.kid)).toBeUndefined();
  });
});
