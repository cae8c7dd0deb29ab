import { usageError } from './cli-error.js';

/** The hub takes less of a policy document, and says how much. */
export const MAX_POLICY_BYTES = 4 * 1024 * 1024;

/** Everything that is piped in. `what` says what it is, for the error where it is too long. */
export async function readStdin(stdin: NodeJS.ReadStream, maxBytes: number, what: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin as AsyncIterable<Buffer | string>) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxBytes) throw usageError(`what was piped in is too long for ${what}`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}
