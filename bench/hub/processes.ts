import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';

export interface ProgramOptions {
  readonly command: readonly string[];
  /** The core to run on; any where undefined. */
  readonly core: number | undefined;
  readonly port: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly folder?: string;
  /** Called at once, before it is ready, so that it can be ended whatever happens. */
  readonly started: (program: Program) => void;
}

/** A server under measurement, with whatever processes it started itself. */
export interface Program {
  readonly port: number;
  usage(): Usage;
  /** The end of what it wrote. */
  output(): string;
  /** To the process that was started, not to those that it started itself. */
  signal(signal: NodeJS.Signals): void;
  /** Ends all its processes. May be called twice. */
  close(): Promise<void>;
  /** The same without a chance to tidy up. */
  kill(): void;
}

/** Of all processes of a program together. */
export interface Usage {
  readonly cpuMicros: number;
  readonly rssBytes: number;
  /** Processor time of each, by its number. */
  readonly processes: ReadonlyMap<number, number>;
}

const START_MS = 30_000;
const END_MS = 3_000;
const TICK_MICROS = 10_000;
const PAGE_BYTES = 4_096;
const KEPT_OUTPUT = 2_000;

/** Starts a program in a process group of its own and waits until its port takes connections. */
export async function startProgram({
  command,
  core,
  port,
  environment = {},
  folder,
  started,
}: ProgramOptions): Promise<Program> {
  const [file = '', ...args] = core === undefined ? command : ['taskset', '-c', String(core), ...command];
  const child = spawn(file, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
    ...(folder !== undefined && { cwd: folder }),
  });
  const program = new ProcessGroup(child, port);
  started(program);
  await program.ready();
  return program;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  return await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

class ProcessGroup implements Program {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  #output = '';
  #gone = false;

  constructor(child: ChildProcess, port: number) {
    this.port = port;
    this.#child = child;
    const keep = (chunk: Buffer): void => {
      this.#output = `${this.#output}${chunk.toString()}`.slice(-KEPT_OUTPUT);
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    this.#exited = new Promise((resolve) => {
      const gone = (): void => {
        this.#gone = true;
        resolve();
      };
      child.once('exit', gone);
      child.once('error', gone);
    });
  }

  async ready(): Promise<void> {
    const deadline = Date.now() + START_MS;
    while (!(await takesConnections(this.port))) {
      if (this.#gone) throw new Error(`${this.#child.spawnfile} ended: ${this.#output}`);
      if (Date.now() > deadline)
        throw new Error(`${this.#child.spawnargs.join(' ')} does not listen: ${this.#output}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  output(): string {
    return this.#output;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  usage(): Usage {
    const leader = this.#child.pid;
    let cpuMicros = 0;
    let rssBytes = 0;
    const processes = new Map<number, number>();
    for (const name of readdirSync('/proc')) {
      const fields = /^\d+$/.test(name) ? readStat(name) : undefined;
      // Field numbers of proc(5), without the two in front: 5 group, 14 and 15 processor time, 24 resident pages.
      if (fields === undefined || Number(fields[2]) !== leader) continue;
      const own = (Number(fields[11]) + Number(fields[12])) * TICK_MICROS;
      processes.set(Number(name), own);
      cpuMicros += own;
      rssBytes += Number(fields[21]) * PAGE_BYTES;
    }
    return { cpuMicros, rssBytes, processes };
  }

  async close(): Promise<void> {
    this.#signal('SIGTERM');
    const timer = setTimeout(() => this.kill(), END_MS);
    await this.#exited;
    clearTimeout(timer);
    // Whatever its leader left behind.
    this.kill();
  }

  kill(): void {
    this.#signal('SIGKILL');
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // All of them are gone.
    }
  }
}

function readStat(pid: string): readonly string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    const done = (taken: boolean): void => {
      socket.destroy();
      resolve(taken);
    };
    socket.setTimeout(1_000, () => done(false));
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
  });
}
