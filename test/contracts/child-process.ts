import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { ROOT } from '../../scripts/repository.js';
import { bundleProgram } from '../support/bundle-program.js';

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
  let folder = '';
  let program = '';
  beforeAll(async () => {
    const caches = join(ROOT, 'node_modules', '.cache');
    mkdirSync(caches, { recursive: true });
    // From where packages are found.
    folder = mkdtempSync(join(caches, 'crosspoint-children-'));
    program = await bundleProgram('test/contracts/children/write.ts', folder, { packages: 'outside' });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  afterEach(async () => {
    for (const child of children.splice(0)) await child.kill();
  });
  return (task, url) => {
    const child = start(program, task, url);
    children.push(child);
    return child;
  };
}

function start(program: string, task: string, url: string): WritingChild {
  const child = spawn(process.execPath, [program, task, url], {
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
