import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach } from 'vitest';

const SCRIPT = new URL('children/write.ts', import.meta.url).pathname;

export interface WritingChild {
  /** What it has acknowledged. */
  readonly lines: readonly string[];
  untilLines(count: number): Promise<void>;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** At once and without a chance to tidy up. Everything it acknowledged is in `lines` afterwards. */
  kill(): Promise<void>;
  ended(): Promise<void>;
}

/** Children that tests left behind are ended after each of them. */
export function useChildren(): (
  task: 'events' | 'many events' | 'changes' | 'migration' | 'rotation' | 'backups' | 'hold',
  url: string,
) => WritingChild {
  const children: WritingChild[] = [];
  afterEach(async () => {
    for (const child of children.splice(0)) await child.kill();
  });
  return (task, url) => {
    const child = start(task, url);
    children.push(child);
    return child;
  };
}

function start(task: string, url: string): WritingChild {
  const child = spawn(process.execPath, ['--import', 'tsx', SCRIPT, task, url], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
  const closed = once(child, 'close');
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => lines.push(line));
  return {
    lines,
    async untilLines(count) {
      while (lines.length < count) {
        const event = await Promise.race([
          once(reader, 'line').then(() => 'line'),
          closed.then(() => 'closed'),
        ]);
        if (event === 'closed' && lines.length < count)
          throw new Error(`the child ended early: ${complaint}`);
      }
    },
    signal: (name) => void child.kill(name),
    async kill() {
      child.kill('SIGKILL');
      await closed;
    },
    async ended() {
      await closed;
    },
  };
}
