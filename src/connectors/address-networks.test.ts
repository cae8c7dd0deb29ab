import { describe, expect, test } from 'vitest';
import { createNetworkTest, isNetwork, toPlainAddress } from './address-networks.js';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:C000:0201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:c000:201', '192.0.2.1'],
  ['2001:0DB8:0:0::6', '2001:db8::6'],
  ['::1', '::1'],
])('the address %s is %s', (text, plain) => {
  expect(toPlainAddress(text)).toBe(plain);
});

const NO_ADDRESS = [
  '',
  ' 192.0.2.1',
  '192.0.2',
  '192.0.2.256',
  '0300.0.2.1',
  '192.0.2.01',
  '0xc0000201',
  '3221225985',
  '7',
  '::ffff:192.0.2.01',
  '1::2::3',
  '12345::',
  'fe80::1%eth0',
  '[::1]',
  '::1:',
  'localhost',
  'unknown',
];

test.each(NO_ADDRESS)('"%s" is no address and no network', (text) => {
  expect(toPlainAddress(text)).toBeUndefined();
  expect(isNetwork(text)).toBe(false);
});

test.each([
  '192.0.2.1/33',
  '192.0.2.1/',
  '192.0.2.1/08',
  '192.0.2.1/+8',
  '192.0.2.0/24/24',
  '192.0.2.0/255.255.255.0',
  '10.0.0.1/8',
  '2001:db8::1/32',
  '::ffff:10.0.0.1/104',
  '::/129',
  '/8',
  '10.0.0.0 /8',
  '*',
  // Everybody could choose an address then.
  '0.0.0.0/0',
  '::/0',
  '::ffff:0:0/96',
])('"%s" is no network', (text) => {
  expect(isNetwork(text)).toBe(false);
});

describe('what lies in a network', () => {
  test.each([
    ['192.0.2.1', ['192.0.2.1', '::ffff:192.0.2.1'], ['192.0.2.2', '::1']],
    ['10.0.0.0/8', ['10.0.0.0', '10.255.255.255', '::ffff:a01:203'], ['11.0.0.0', '9.255.255.255', 'a00::']],
    ['10.1.2.4/30', ['10.1.2.4', '10.1.2.7'], ['10.1.2.3', '10.1.2.8']],
    ['::ffff:10.0.0.0/104', ['10.9.9.9'], ['11.0.0.0', '::ffff:0:0:1']],
    ['2001:db8::/33', ['2001:db8::1', '2001:db8:7fff::1'], ['2001:db8:8000::1', '32.1.13.184']],
    ['::1', ['::1', '0:0:0:0:0:0:0:1'], ['::2', '127.0.0.1', '0.0.0.1']],
  ])('%s', (network, within, outside) => {
    const isIn = createNetworkTest(['203.0.113.9', network]);
    expect(isNetwork(network)).toBe(true);
    expect(within.filter((address) => !isIn(address))).toEqual([]);
    expect(outside.filter((address) => isIn(address))).toEqual([]);
    expect(isIn('203.0.113.9')).toBe(true);
    expect(isIn('no address')).toBe(false);
  });

  test('none has nothing in it', () => {
    expect(createNetworkTest([])('192.0.2.1')).toBe(false);
  });
});
