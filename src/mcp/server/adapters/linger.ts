import type { Socket } from 'node:net';

/**
 * How long bytes are taken, and dropped, that cross with the end of a connection. Closing one with bytes nobody has
 * read resets it, and the answer on its way would be lost (RFC 9112, section 9.6).
 */
const LINGER_MS = 5_000;

/** Nothing more is said; the peer closes when it has understood. */
export function endLingering(socket: Socket): void {
  socket.end();
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}
