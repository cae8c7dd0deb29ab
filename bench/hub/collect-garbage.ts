import { WebSocket } from 'undici';
import type { Program } from './processes.js';

const LIMIT_MS = 30_000;
const LOOK_MS = 20;

/** What Node must be started with so that its inspector, once it is wanted, takes a port that is free. */
export const INSPECTABLE = '--inspect-port=127.0.0.1:0';

/** Where the inspector of a Node program is, in what the program wrote to its standard error. */
export const INSPECTOR_URL = /Debugger listening on (ws:\S+)/;

/**
 * Has a Node program collect its garbage, so that what is measured afterwards is in use and not merely not collected yet.
 * The inspector, which does it, takes some memory itself when it is first asked for.
 */
export async function collectGarbage(program: Program): Promise<void> {
  await collectGarbageAt(await inspectorOf(program));
}

export async function collectGarbageAt(inspector: string): Promise<void> {
  const socket = new WebSocket(inspector);
  try {
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error('no garbage was collected')), LIMIT_MS);
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

async function inspectorOf(program: Program): Promise<string> {
  const deadline = Date.now() + LIMIT_MS;
  for (;;) {
    const url = INSPECTOR_URL.exec(program.output())?.[1];
    if (url !== undefined) return url;
    if (Date.now() > deadline) throw new Error('the program has no inspector');
    // Node's way of being asked for it.
    program.signal('SIGUSR1');
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
