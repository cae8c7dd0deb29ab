import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Where they never stop coming it is shut at last. */
const LONGEST_MS = 1_000;

type Listener = (socket: Socket) => void;

/**
 * Ends listening without cutting off those who have connected and were not let in, of whom each turn of the event loop lets
 * in one. They are not served before: whoever gets an answer may connect again, and the door would never be free.
 */
export async function shutDoor(server: Server): Promise<void> {
  const serve = server.listeners('connection') as Listener[];
  const held: Socket[] = [];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    // Whoever leaves meanwhile is nobody's fault.
    socket.on('error', () => {});
    held.push(socket);
  });
  const deadline = performance.now() + LONGEST_MS;
  for (let before = -1; held.length > before && performance.now() < deadline;) {
    before = held.length;
    // This turn ends, and a whole one follows.
    await nextTurn();
    await nextTurn();
  }
  // Unlike that of `node:http` it leaves idle connections alone.
  NetServer.prototype.close.call(server);
  server.removeAllListeners('connection');
  for (const listener of serve) server.on('connection', listener);
  for (const socket of held) server.emit('connection', socket);
}
