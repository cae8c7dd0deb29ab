import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleProgram } from '../bundle-program.js';
import { startHubProcess, type HubProcess } from '../hub-process.js';
import type { CallBook } from './call-book.js';
import { INSPECTED } from './garbage.js';
import { startSoakHttp } from './soak-server.js';

export interface SoakWorld {
  readonly hub: HubProcess;
  readonly connectors: readonly string[];
  readonly keys: readonly string[];
  /** Takes over what processes wrote down since the last time. */
  readLedgers(): void;
  close(): Promise<void>;
}

export interface SoakWorldOptions {
  readonly folder: string;
  readonly book: CallBook;
  readonly agents: number;
  /** Processes end after this time without use. */
  readonly idleStopMs: number;
  /** Hub to run; default: the sources. */
  readonly program?: readonly string[] | undefined;
}

const ERAS = ['legacy', 'modern'] as const;
/** Nobody is refused for want of a place in the line; an upstream of our own takes 64 calls of a session at once. */
const LIMITS = { concurrency: 50, queue: 2_000 };

/** One hub, upstreams of both eras over HTTP and as processes, and many agents. */
export async function startSoakWorld(options: SoakWorldOptions): Promise<SoakWorld> {
  const { folder, book, agents, idleStopMs, program } = options;
  const carriedOut = (call: string): void => book.carriedOut(call);
  const stdio = await bundleProgram('test/support/soak/soak-stdio.ts', folder);
  // Not beside the configuration: the hub reads that again whenever something changes in its folder.
  mkdirSync(join(folder, 'ledgers'));
  const ledgers: Ledger[] = [];
  const upstreams = await Promise.all(ERAS.map((era) => startSoakHttp(era, carriedOut)));
  const connectors: Record<string, object> = {};
  for (const [index, era] of ERAS.entries()) {
    connectors[`http-${era}`] = { url: upstreams[index]?.url, limits: LIMITS };
    const file = join(folder, 'ledgers', era);
    writeFileSync(file, '');
    ledgers.push(new Ledger(file, carriedOut));
    connectors[`stdio-${era}`] = {
      command: process.execPath,
      args: [stdio, era, file],
      limits: LIMITS,
      idleStopMs,
    };
  }
  const keys = Array.from({ length: agents }, (_, index) => `agent-${index}-key-0123456789abcdef`);
  writeFileSync(join(folder, 'all.cedar'), 'permit(principal, action, resource);');
  const config = {
    connectors,
    agents: Object.fromEntries(keys.map((key, index) => [`agent-${index}`, { keys: [key] }])),
    policies: ['all.cedar'],
  };
  const hub = await startHubProcess(folder, config, program, [], { environment: INSPECTED });
  return {
    hub,
    connectors: Object.keys(connectors),
    keys,
    readLedgers: () => ledgers.forEach((ledger) => ledger.read()),
    async close() {
      await hub.close();
      for (const upstream of upstreams) await upstream.close();
    },
  };
}

/** A file to which processes append what they carried out, a line for each. */
class Ledger {
  readonly #file: string;
  readonly #carriedOut: (call: string) => void;
  #read = 0;

  constructor(file: string, carriedOut: (call: string) => void) {
    this.#file = file;
    this.#carriedOut = carriedOut;
  }

  read(): void {
    const all = readFileSync(this.#file);
    for (const call of all.toString('utf8', this.#read).split('\n')) if (call !== '') this.#carriedOut(call);
    this.#read = all.length;
  }
}
