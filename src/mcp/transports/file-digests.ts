import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

const CHUNK_BYTES = 256 * 1024;
const MOST_KNOWN = 256;
/** The times of files tick slowly: one that has changed just now may do so again and look the same. */
const SETTLED_MS = 2_000;

/** SHA-256 of whole files, read once for as long as nothing about them changes. */
export class FileDigests {
  readonly #now: () => number;
  /** By what a file system tells of a file. Those that were asked for last come last. */
  readonly #known = new Map<string, Promise<string>>();

  /** `now` as the file system counts: milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** In hex. `undefined` where there is something else than a file. */
  async of(path: string): Promise<string | undefined> {
    // What is no file, such as a pipe that nobody writes to, must not keep us.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const facts = await look(file);
      if (facts === undefined) return undefined;
      const known = this.#known.get(facts.key);
      this.#known.delete(facts.key);
      const digest = known ?? this.#read(file, facts);
      this.#keep(facts.key, digest);
      return await digest;
    } finally {
      await file.close();
    }
  }

  async #read(file: FileHandle, { key, changedAt }: Facts): Promise<string> {
    const isSettled = this.#now() - changedAt > SETTLED_MS;
    let isSame = false;
    try {
      const digest = await hashOf(file);
      isSame = (await look(file))?.key === key;
      return digest;
    } finally {
      if (!isSettled || !isSame) this.#known.delete(key);
    }
  }

  #keep(key: string, digest: Promise<string>): void {
    this.#known.set(key, digest);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }
}

interface Facts {
  readonly key: string;
  readonly changedAt: number;
}

async function look(file: FileHandle): Promise<Facts | undefined> {
  const facts = await file.stat({ bigint: true });
  if (!facts.isFile()) return undefined;
  const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = facts;
  return { key: [dev, ino, size, mtimeNs, ctimeNs].join(':'), changedAt: Number(ctimeMs) };
}

/** Piece by piece: programs can be large, and nothing else may have to wait. */
async function hashOf(file: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let at = 0; ;) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, at);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(chunk.subarray(0, bytesRead));
    at += bytesRead;
  }
}
