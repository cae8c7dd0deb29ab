import type { Server } from 'node:http';

export interface AddressCap {
  /** Connections one peer may have at a time. */
  readonly most: number;
  /** As whom an address is counted; undefined: it may have any number. Default: each as itself. */
  readonly peerOf?: (address: string) => string | undefined;
  /** Told when a peer reaches the cap, and not again before it has fallen to the half of it. */
  readonly onReached?: (peer: string) => void;
}

interface Peer {
  connections: number;
  wasTold: boolean;
}

/** Closes connections of whoever has enough of them, before anything is read from them. Attached last. */
export function capConnections(server: Server, cap: AddressCap): void {
  const { most, peerOf = (address) => address, onReached } = cap;
  const peers = new Map<string, Peer>();
  server.prependListener('connection', (socket) => {
    const name = peerOf(socket.remoteAddress ?? '');
    if (name === undefined) return;
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
