import { expect, test } from 'vitest';
import { connectionPeer } from './connection-peer.js';

test.each([
  ['an address', '192.0.2.1', '192.0.2.1'],
  ['its other spelling', '::ffff:192.0.2.1', '192.0.2.1'],
  ['a network of IPv6', '2001:db8:1:2::5', '2001:db8:1:2::/64'],
  ['this machine', '127.0.0.1', undefined],
  ['this machine by IPv6', '::1', undefined],
  ['this machine by IPv4 in IPv6', '::ffff:127.0.0.1', undefined],
])('H-41: %s (%s) is counted as %s', (_what, address, peer) => {
  expect(connectionPeer(address)).toBe(peer);
});
