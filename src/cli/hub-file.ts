import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** What a running hub leaves in its data folder, so that commands find it. */
export interface HubFile {
  readonly url: string;
  readonly pid: number;
  /** Where it was started. */
  readonly folder: string;
  /** The configuration it runs with; absent: there is none. */
  readonly configFile?: string;
}

const NAME = 'hub.json';

export function dataFolderOf(
  given: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
  folder: string,
): string {
  return resolve(folder, given ?? (environment['CROSSPOINT_DATA'] || '.crosspoint'));
}

/** Whole or not at all: another command may be reading. */
export function writeHubFile(dataFolder: string, file: HubFile): void {
  const path = join(dataFolder, NAME);
  const unfinished = `${path}.${file.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(file)}\n`, { mode: 0o600 });
  renameSync(unfinished, path);
}

/** Only its own: another hub may have started here meanwhile. */
export function removeHubFile(dataFolder: string, pid: number): void {
  if (readHubFile(dataFolder)?.pid === pid) rmSync(join(dataFolder, NAME), { force: true });
}

function readHubFile(dataFolder: string): HubFile | undefined {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(join(dataFolder, NAME), 'utf8'));
  } catch {
    return undefined;
  }
  if (typeof content !== 'object' || content === null) return undefined;
  const { url, pid, folder, configFile } = content as Record<string, unknown>;
  if (typeof url !== 'string' || !URL.canParse(url) || typeof pid !== 'number' || !Number.isInteger(pid))
    return undefined;
  return {
    url,
    pid,
    folder: typeof folder === 'string' ? folder : dataFolder,
    ...(typeof configFile === 'string' && { configFile }),
  };
}

/** The hub of this data folder, if its process still lives. A file of a hub that crashed names an address anybody may have now. */
export function findRunningHub(dataFolder: string): HubFile | undefined {
  const file = readHubFile(dataFolder);
  return file !== undefined && isAlive(file.pid) ? file : undefined;
}

function isAlive(pid: number): boolean {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process: alive, but not ours to signal.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
