import { describe, expect, test } from 'vitest';
import { createClientNetworkOf } from './client-network.js';

const PROXIES = ['10.0.0.0/8', '192.0.2.10', '2001:db8:f::/48', 'fe80::/10'];
const clientNetworkOf = createClientNetworkOf(PROXIES);
const many = (count: number, entry: string): string[] => Array.from({ length: count }, () => entry);

describe('H-38: behind a trusted proxy the client is', () => {
  test.each<readonly [string, string, string]>([
    ['the only entry', '203.0.113.7', '203.0.113.7'],
    ['the last entry, whatever it sent itself', '198.51.100.1, 203.0.113.7', '203.0.113.7'],
    ['the last one that is no proxy', '198.51.100.1, 203.0.113.7, 10.1.1.1,192.0.2.10', '203.0.113.7'],
    ['found without blanks', '198.51.100.1,203.0.113.7', '203.0.113.7'],
    ['found with many blanks', ' \t203.0.113.7 \t', '203.0.113.7'],
    ['not what stands before, however it looks', 'unknown, <script>,, 203.0.113.7', '203.0.113.7'],
    ['found behind any number of entries', `${'1.1.1.1,'.repeat(500)}203.0.113.7`, '203.0.113.7'],
    ['found through fifteen proxies', ['203.0.113.7', ...many(15, '10.0.0.1')].join(), '203.0.113.7'],
    ['found with a port', '203.0.113.7:51234', '203.0.113.7'],
    ['a network of IPv6', '2001:DB8:1:2::5', '2001:db8:1:2::/64'],
    ['a network of IPv6, spelled at length', '2001:0db8:0001:0002:0:0:0:5', '2001:db8:1:2::/64'],
    ['a network of IPv6 in brackets', '[2001:db8:1:2::5]', '2001:db8:1:2::/64'],
    ['a network of IPv6 with a port', '[2001:db8:1:2::5]:443', '2001:db8:1:2::/64'],
    ['an IPv4 address within IPv6', '::ffff:203.0.113.7', '203.0.113.7'],
    ['an IPv4 address within IPv6, in hex', '[::ffff:cb00:7107]:1', '203.0.113.7'],
    ['found through a proxy that is written as IPv6', '203.0.113.7, ::ffff:10.0.0.9', '203.0.113.7'],
    ['found through a proxy of an IPv6 network', '203.0.113.7, [2001:db8:f:9::1]:80', '203.0.113.7'],
    ['the first proxy where there is nobody else', '10.0.0.8, 10.0.0.9', '10.0.0.8'],
  ])('%s', (_what, header, client) => {
    for (const peer of ['10.0.0.1', '::ffff:192.0.2.10', '2001:db8:f::1', 'fe80::1%eth0'])
      expect(clientNetworkOf(peer, header)).toBe(client);
    expect(clientNetworkOf('10.0.0.1', header.split(','))).toBe(client);
  });
});

describe('H-38: what a proxy says is not used where it is', () => {
  test.each([
    ['missing', undefined],
    ['missing in a web request', null],
    ['empty', ''],
    ['blank', ' '],
    ['a name', 'client.example'],
    ['hidden', 'unknown'],
    ['without an end', '203.0.113.7,'],
    ['in another grammar', 'for=203.0.113.7'],
    ['quoted', '"203.0.113.7"'],
    ['two in one', '203.0.113.7 203.0.113.8'],
    ['short', '203.0.113'],
    ['octal', '203.0.113.07'],
    ['a number', '3405803783'],
    ['too large', '203.0.113.256'],
    ['with a bad port', '203.0.113.7:http'],
    ['with a long port', '203.0.113.7:123456'],
    ['an IPv4 address in brackets', '[203.0.113.7]'],
    ['half in brackets', '[2001:db8::1'],
    ['with a zone', 'fe80::1%eth0'],
    ['a network', '203.0.113.0/24'],
    ['another kind of blank', '203.0.113.7\u00a0'],
    ['malformed between proxies', '203.0.113.7, unknown, 10.0.0.9'],
    ['a longer row of proxies than there can be', ['203.0.113.7', ...many(16, '10.0.0.2')].join()],
  ])('%s', (_what, header) => {
    expect(clientNetworkOf('10.0.0.1', header)).toBe('10.0.0.1');
  });
});

describe('H-38: nobody else can choose an address', () => {
  test.each([
    ['198.51.100.7', '198.51.100.7'],
    ['::ffff:198.51.100.7', '198.51.100.7'],
    ['2001:db8:1:2::5', '2001:db8:1:2::/64'],
    ['11.0.0.1', '11.0.0.1'],
    ['', 'unknown'],
    [undefined, 'unknown'],
  ])('%s', (peer, counted) => {
    expect(clientNetworkOf(peer, '203.0.113.7')).toBe(counted);
    expect(createClientNetworkOf([])(peer, '203.0.113.7')).toBe(counted);
  });

  test('not even on this machine, unless it is named', () => {
    expect(createClientNetworkOf([])('127.0.0.1', '203.0.113.7')).toBe('127.0.0.1');
    expect(clientNetworkOf('127.0.0.1', '203.0.113.7')).toBe('127.0.0.1');
    expect(createClientNetworkOf(['127.0.0.1'])('127.0.0.1', '203.0.113.7')).toBe('203.0.113.7');
  });
});

test.each([
  ['brackets and colons', `[${':'.repeat(60_000)}`],
  ['blanks', `1${' '.repeat(60_000)}1`],
  ['digits', '1'.repeat(60_000)],
  ['percent signs', '%'.repeat(60_000)],
])('B1.9: a long entry of %s takes no time', (_what, entry) => {
  const start = performance.now();
  expect(clientNetworkOf('10.0.0.1', `${entry}, 10.0.0.9`)).toBe('10.0.0.1');
  expect(performance.now() - start).toBeLessThan(100);
});
