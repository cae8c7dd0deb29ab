import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { appendFile, open, stat } from 'node:fs/promises';
import { promises as streams } from 'node:stream';

/** SQLite notices little of what happens to the content of a page, so a copy ends with a digest of all that is before. */
const LABEL = '\ncrosspoint-backup sha256 ';
const HEX_LENGTH = 64;
const LINE_LENGTH = LABEL.length + HEX_LENGTH + 1;

/** Fills one more page, which SQLite does not read: the number of pages is in the header. So it stays a database file. */
export async function appendDigest(path: string, pageSize: number): Promise<void> {
  await appendFile(path, Buffer.alloc(pageSize - LINE_LENGTH));
  await appendFile(path, `${LABEL}${await sha256Of(path)}\n`);
}

/** Whether the bytes are those that were written; `absent` if the file has no digest. */
export async function checkDigest(path: string): Promise<'right' | 'wrong' | 'absent'> {
  const { size } = await stat(path);
  const end = size - LINE_LENGTH;
  if (end <= 0) return 'absent';
  const line = await readText(path, end);
  if (!line.startsWith(LABEL)) return 'absent';
  return line === `${LABEL}${await sha256Of(path, end)}\n` ? 'right' : 'wrong';
}

async function readText(path: string, from: number): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LINE_LENGTH), 0, LINE_LENGTH, from);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Of the whole file, or of its first bytes. */
async function sha256Of(path: string, length = Infinity): Promise<string> {
  const digest = createHash('sha256');
  await streams.pipeline(createReadStream(path, { end: length - 1, highWaterMark: 1 << 20 }), digest);
  return digest.digest('hex');
}
