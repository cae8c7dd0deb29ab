import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

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
    answered++;
    child.stdin.write(`${body}\n`);
  });
  for (let i = 0; i < width; i++) child.stdin.write(`${body}\n`);
  const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  try {
    await wait(1_000);
    const before = answered;
    const begun = performance.now();
    await wait(seconds * 1_000);
    return ((answered - before) * 1_000) / (performance.now() - begun);
  } finally {
    lines.removeAllListeners('line');
    child.kill();
  }
}
