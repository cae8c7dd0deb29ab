import { readFileSync } from 'node:fs';
import { HubError } from '../../kernel/index.js';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'the user of the hub may not read it',
  EPERM: 'the user of the hub may not read it',
};

/**
 * The text of an operator's file, without the mark that editors of Windows put before it. Text in another encoding
 * is refused: what it became in UTF-8 would be taken for what was meant.
 */
export function readText(path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new HubError('config_invalid', `${path} cannot be read: ${REASONS[code] ?? code}`, {
      cause: error,
    });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new HubError('config_invalid', `${path} is not text in UTF-8: save it in that encoding`, {
      cause: error,
    });
  }
}
