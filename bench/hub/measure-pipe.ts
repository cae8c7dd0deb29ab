import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { INITIALIZED_BODY, initializeBody } from './work.js';

const WARM_UP_CALLS = 3_000;
const BEGIN_MS = 10_000;

/** How many calls a second a child answers over a bare pipe, with so many under way: as much as anybody can get out of it. */
export async function measurePipe(
  command: readonly string[],
  body: string,
  { width, seconds }: { readonly width: number; readonly seconds: number },
): Promise<number> {
  const [file = '', ...args] = command;
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  let answered = 0;
  lines.on('line', () => {
    // The first answer is that to the handshake.
    if (answered++ > 0) child.stdin.write(`${body}\n`);
    else child.stdin.write(`${INITIALIZED_BODY}\n${`${body}\n`.repeat(width)}`);
  });
  child.stdin.write(`${initializeBody()}\n`);
  const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  const deadline = performance.now() + BEGIN_MS;
  const isCold = (): boolean => answered < WARM_UP_CALLS && performance.now() < deadline;
  try {
    while (isCold()) await wait(50);
    const before = answered;
    const begun = performance.now();
    await wait(seconds * 1_000);
    return ((answered - before) * 1_000) / (performance.now() - begun);
  } finally {
    lines.removeAllListeners('line');
    child.kill();
  }
}
