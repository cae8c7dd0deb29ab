import { WebSocket } from 'undici';
import type { Program } from './processes.js';

const LIMIT_MS = 30_000;
const LOOK_MS = 20;

/** What Node must be started with so that its inspector, once it is wanted, takes a port that is free. */
export const INSPECTABLE = '--inspect-port=127.0.0.1:0';

/**
 * Has a Node program collect its garbage, so that what is measured afterwards is in use and not merely not collected yet.
 * The inspector, which does it, takes some memory itself when it is first asked for.
 */
export async function collectGarbage(program: Program): Promise<void> {
  const deadline = Date.now() + LIMIT_MS;
  const socket = new WebSocket(await inspectorOf(program, deadline));
  try {
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error('no garbage was collected')), deadline - Date.now());
      socket.addEventListener('error', () => reject(new Error('the inspector does not answer')));
      socket.addEventListener('open', () => socket.send('{"id":1,"method":"HeapProfiler.collectGarbage"}'));
      socket.addEventListener('message', () => {
        clearTimeout(late);
        resolve();
      });
    });
  } finally {
    socket.close();
  }
}

async function inspectorOf(program: Program, deadline: number): Promise<string> {
  for (;;) {
    const url = /Debugger listening on (ws:\S+)/.exec(program.output())?.[1];
    if (url !== undefined) return url;
    if (Date.now() > deadline) throw new Error('the program has no inspector');
    // Node's way of being asked for it.
    program.signal('SIGUSR1');
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
