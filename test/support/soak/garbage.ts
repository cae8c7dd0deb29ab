import { WebSocket } from 'undici';

const LIMIT_MS = 30_000;

/** What a Node program must be started with so that its garbage can be collected from outside. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/**
 * Has the program collect its garbage, so that what is measured afterwards is in use and not merely not collected yet. `log`: what it
 * wrote to its standard error, where Node says how to reach its inspector.
 */
export async function collectGarbage(log: readonly string[]): Promise<void> {
  const url = log.map((line) => /^Debugger listening on (ws:\S+)$/.exec(line)?.[1]).find(Boolean);
  if (url === undefined) throw new Error('the program was not started with an inspector');
  const socket = new WebSocket(url);
  try {
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error('the garbage was not collected in time')), LIMIT_MS);
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
