import { createHash } from 'node:crypto';
import { createReadStream, type PathLike } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import { once } from 'node:events';
import { HubError } from '../../kernel/index.js';
import { keptTables, type KeptTable } from '../tables.js';

/** One JSON value a line: a header, rows, and a last line without which the file is not whole. */
const LINES_FORMAT = 'crosspoint-backup';
export const LINES_BEGIN = '{"format":"';

export interface BackupRow {
  readonly table: KeptTable;
  readonly row: Readonly<Record<string, unknown>>;
}

/** What a backup is made of, wherever it comes from. */
export interface BackupSource {
  readonly schemaVersion: number;
  /** Parents before children; settings first. Throws `config_invalid` at the end if rows are missing. */
  rows(): AsyncIterable<BackupRow>;
  close(): void;
}

export async function writeBackupLines(
  out: Writable,
  { schemaVersion, createdAt }: { readonly schemaVersion: number; readonly createdAt: number },
  rows: AsyncIterable<BackupRow>,
): Promise<number> {
  const digest = createHash('sha256');
  const write = async (line: string): Promise<void> => {
    digest.update(line);
    if (!out.write(line)) await once(out, 'drain');
  };
  await write(`${JSON.stringify({ format: LINES_FORMAT, version: 1, schemaVersion, createdAt })}\n`);
  let count = 0;
  for await (const { table, row } of rows) {
    await write(`${JSON.stringify({ table, row })}\n`);
    count++;
  }
  out.write(`${JSON.stringify({ rows: count, sha256: digest.digest('hex') })}\n`);
  return count;
}

interface Header {
  readonly format?: unknown;
  readonly version?: unknown;
  readonly schemaVersion?: unknown;
}

export async function openBackupLines(path: PathLike): Promise<BackupSource> {
  const header = await readHeader(path);
  if (header.format !== LINES_FORMAT || header.version !== 1 || typeof header.schemaVersion !== 'number')
    throw notOurs();
  const { schemaVersion } = header;
  return { schemaVersion, rows: () => readRows(path, schemaVersion), close() {} };
}

export function notOurs(): HubError {
  return new HubError('config_invalid', 'the file is not a backup of this program, or of a newer release');
}

async function readHeader(path: PathLike): Promise<Header> {
  for await (const line of linesOf(path)) return parseLine(line) as Header;
  return {};
}

async function* readRows(path: PathLike, schemaVersion: number): AsyncGenerator<BackupRow> {
  const digest = createHash('sha256');
  const tables = new Set<string>(keptTables(schemaVersion).map(({ name }) => name));
  let count = -1;
  let whole = false;
  for await (const line of linesOf(path)) {
    if (whole) throw altered();
    const parsed = parseLine(line) as Partial<BackupRow> & {
      readonly rows?: number;
      readonly sha256?: string;
    };
    if (parsed.sha256 !== undefined) {
      whole = parsed.rows === count && parsed.sha256 === digest.digest('hex');
      if (whole) continue;
      break;
    }
    digest.update(`${line}\n`);
    if (++count === 0) continue;
    const { table, row } = parsed;
    if (table === undefined || row === undefined || !tables.has(table)) break;
    yield { table, row };
  }
  if (!whole) throw altered();
}

function altered(cause?: unknown): HubError {
  return new HubError('config_invalid', 'the backup is incomplete or was altered; nothing was restored', {
    cause,
  });
}

function linesOf(path: PathLike): AsyncIterable<string> {
  return createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Infinity });
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw altered(cause);
  }
}
