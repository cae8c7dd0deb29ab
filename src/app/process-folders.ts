import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import type { Connector, Endpoint } from '../connectors/index.js';
import type { ProcessFolder } from '../upstreams/index.js';

export interface ProcessFoldersOptions {
  /** Of folders that last as long as their connector. */
  readonly folder: string;
  /** Of folders that last as long as their process. */
  readonly temporary: () => string | undefined;
}

/**
 * Where processes run that were not told where: in an empty folder of their own. One that serves everybody finds there
 * again what it wrote; one that belongs to one caller must not find what another's wrote, and begins anew each time.
 */
export class ProcessFolders {
  readonly #options: ProcessFoldersOptions;

  constructor(options: ProcessFoldersOptions) {
    this.#options = options;
  }

  /** Undefined: where the hub runs. */
  open({ id, endpoint, isolation }: Connector): ProcessFolder | undefined {
    if (endpoint.transport !== 'stdio' || looksAround(endpoint, process.cwd())) return undefined;
    if (isolation !== 'shared') return this.#openTemporary();
    const path = join(this.#options.folder, id);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    chmodSync(path, 0o700);
    return { path, release() {} };
  }

  /** Removes those of connectors that are no more. */
  async tidy(isKnown: (connector: string) => Promise<boolean>): Promise<void> {
    const { folder } = this.#options;
    const names = existsSync(folder) ? readdirSync(folder) : [];
    for (const name of names) if (!(await isKnown(name))) remove(join(folder, name));
  }

  #openTemporary(): ProcessFolder {
    const parent = this.#options.temporary() ?? tmpdir();
    mkdirSync(parent, { recursive: true, mode: 0o700 });
    const path = mkdtempSync(join(parent, 'folder-'));
    return { path, release: () => remove(path) };
  }
}

/** A process decides what is in its folder and who may touch it: what cannot be removed stays. */
function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Of use to nobody, and in nobody's way.
  }
}

/** Programs that look in the folder they are started in for what they are to run. */
const RUNNERS = /^(?:npm|npx|pnpm|pnpx|yarn|bun|bunx|deno|uv|uvx|pipx|poetry|pipenv|cargo|go|make)$/;
/** Options that name a module, which is looked for from there too. */
const MODULE_OPTIONS = /^(?:-m|-r|--import|--require|--loader|--experimental-loader)(?:=|$)/;

/** Whether the command means something that it can only find in `folder`. */
export function looksAround(
  { command, args }: Pick<Extract<Endpoint, { transport: 'stdio' }>, 'command' | 'args'>,
  folder: string,
  exists: (path: string) => boolean = existsSync,
): boolean {
  if (RUNNERS.test(basename(command).replace(/\.(?:exe|cmd)$/i, ''))) return true;
  const isThere = (path: string) => path !== '' && !isAbsolute(path) && exists(join(folder, path));
  return (
    (/[/\\]/.test(command) && isThere(command)) ||
    args.some(
      (arg) =>
        MODULE_OPTIONS.test(arg) || /^\.{1,2}(?:[/\\]|$)/.test(arg) || isThere(arg.replace(/^--?[^=]*=/, '')),
    )
  );
}
