import { spawn, spawnSync } from 'node:child_process';

import type { ProcessTree } from './process-tree.js';

/**
 * Windows has neither groups nor signals: the system's own tool ends a process with its descendants. It has to find
 * them through their parents, so it runs while the child still lives where that can be chosen.
 */
export class WindowsProcessTree implements ProcessTree {
  readonly pid: number;
  #exited = false;

  constructor(pid: number) {
    this.pid = pid;
  }

  rootExited(): void {
    this.#exited = true;
  }

  async survey(): Promise<boolean> {
    return !this.#exited;
  }

  pids(): readonly number[] {
    return this.#exited ? [] : [this.pid];
  }

  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (this.#exited) return;
    const tool = spawn('taskkill', this.#args(signal === 'SIGKILL'), { stdio: 'ignore', windowsHide: true });
    tool.on('error', () => {});
  }

  killNow(): void {
    if (!this.#exited)
      spawnSync('taskkill', this.#args(true), { stdio: 'ignore', windowsHide: true, timeout: 2000 });
  }

  #args(force: boolean): readonly string[] {
    return ['/PID', String(this.pid), '/T', ...(force ? ['/F'] : [])];
  }
}
