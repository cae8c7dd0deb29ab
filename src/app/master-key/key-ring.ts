import { randomBytes } from 'node:crypto';
import { HubError } from '../../kernel/index.js';
import type { MasterKey, MasterKeys } from '../../storage/index.js';

const KEY_BYTES = 32;
/** What a key without a name is called. */
const UNNAMED = 'master';
const LINE = /^(?:([A-Za-z0-9_-]{1,64}):)?([A-Za-z0-9+/]{43}=)$/;

/** Keys as text, one a line, the active one first: `NAME:BASE64`, or the Base64 alone. */
export function parseKeyRing(text: string, place: string): MasterKeys {
  const [active, ...retired] = text
    .trim()
    .split(/\s+/)
    .map((line) => parseKey(line, place));
  if (active === undefined) throw new HubError('config_invalid', `${place} holds no master key`);
  return { active, retired };
}

export function formatKeyRing({ active, retired = [] }: MasterKeys): string {
  return [active, ...retired].map(({ id, key }) => `${id}:${key.toString('base64')}`).join('\n');
}

/** Its name says when it was made; the rest keeps two of one day apart. */
export function createMasterKey(now: number): MasterKey {
  const day = new Date(now).toISOString().slice(0, 10);
  return { id: `${day}-${randomBytes(3).toString('hex')}`, key: randomBytes(KEY_BYTES) };
}

/** The first key of a hub needs no name. */
export function createFirstKey(): string {
  return randomBytes(KEY_BYTES).toString('base64');
}

function parseKey(line: string, place: string): MasterKey {
  const parts = LINE.exec(line);
  if (parts?.[2] === undefined)
    throw new HubError(
      'config_invalid',
      `${place}: the master key must be ${KEY_BYTES} bytes in Base64, with or without "NAME:" before it`,
    );
  return { id: parts[1] ?? UNNAMED, key: Buffer.from(parts[2], 'base64') };
}
