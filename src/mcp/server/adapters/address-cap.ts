import type { Server } from 'node:http';
import { isIPv6 } from 'node:net';

export interface AddressCap {
  /** Connections one address may have at a time. */
  readonly most: number;
  /** Addresses that may have any number. Default: those of this machine, where a proxy may run. */
  readonly isExempt?: (address: string) => boolean;
  /** Told when an address reaches the cap, and not again before it has fallen to the half of it. */
  readonly onReached?: (address: string) => void;
}

interface Peer {
  connections: number;
  wasTold: boolean;
}

/** Closes connections of an address that has enough of them, before anything is read from them. Attached last. */
export function capConnections(server: Server, cap: AddressCap): void {
  const { most, isExempt = isLoopback, onReached } = cap;
  const peers = new Map<string, Peer>();
  server.prependListener('connection', (socket) => {
    const address = plainAddress(socket.remoteAddress ?? '');
    if (isExempt(address)) return;
    const name = networkOf(address);
    const peer = peers.get(name) ?? { connections: 0, wasTold: false };
    if (peer.connections >= most) {
      if (!peer.wasTold) onReached?.(name);
      peer.wasTold = true;
      socket.resetAndDestroy();
      return;
    }
    peer.connections++;
    peers.set(name, peer);
    socket.once('close', () => {
      if (--peer.connections <= most / 2) peer.wasTold = false;
      if (peer.connections === 0) peers.delete(name);
    });
  });
}

const MAPPED = '::ffff:';

/** An IPv4 address is the same whichever kind of socket it came to. */
function plainAddress(address: string): string {
  return address.startsWith(MAPPED) && address.includes('.') ? address.slice(MAPPED.length) : address;
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}

/** Whoever has one IPv6 address has the 2^64 beside it too. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail = ''] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}
