import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { HubError } from '../kernel/index.js';

/** 32 random bytes and the name under which they are referred to. The name is stored in clear; the bytes never are. */
export interface MasterKey {
  readonly id: string;
  readonly key: Buffer;
}

export interface MasterKeys {
  /** Seals whatever is written from now on. */
  readonly active: MasterKey;
  /** Still read, so that the active key can be changed while the hub serves. */
  readonly retired?: readonly MasterKey[];
}

/** Where a sealed value belongs. It opens nowhere else. */
export interface SealContext {
  readonly table: string;
  readonly record: string;
  readonly field: string;
}

export interface Sealer {
  readonly activeKeyId: string;
  knows(keyId: string): boolean;
  /** Whether it was sealed with the key that seals now. */
  isCurrent(sealed: string): boolean;
  /** From now on this key seals. The others still open. */
  activate(key: MasterKey): void;
  seal(text: string, context: SealContext): string;
  /** Throws `internal` if the value was altered, moved from another place, or sealed with a key that is not known. */
  open(sealed: string, context: SealContext): string;
}

const FORMAT = 'cp1';
const KEY_ID = /^[A-Za-z0-9_-]{1,64}$/;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = SALT_BYTES + NONCE_BYTES + TAG_BYTES;

/**
 * AES-256-GCM under a key derived for each value from the master key and a random salt: however many values there are,
 * no derived key meets a nonce twice. `cp1.<key id>.<base64url of salt, nonce, tag, ciphertext>`.
 */
export function createSealer({ active, retired = [] }: MasterKeys): Sealer {
  const keys = new Map<string, Buffer>();
  let activeId = active.id;
  for (const key of [active, ...retired]) addKey(keys, key);

  function requireKey(id: string): Buffer {
    const key = keys.get(id);
    if (key === undefined)
      throw new HubError('internal', 'a stored value was sealed with a master key that is not known', {
        details: { keyId: id },
      });
    return key;
  }

  return {
    get activeKeyId() {
      return activeId;
    },
    knows: (keyId) => keys.has(keyId),
    isCurrent: (sealed) => sealed.startsWith(`${FORMAT}.${activeId}.`),
    activate(key) {
      addKey(keys, key);
      activeId = key.id;
    },

    seal(text, context) {
      const salt = randomBytes(SALT_BYTES);
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', deriveKey(requireKey(activeId), salt), nonce);
      cipher.setAAD(boundTo(activeId, context));
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      const bytes = Buffer.concat([salt, nonce, cipher.getAuthTag(), ciphertext]);
      return `${FORMAT}.${activeId}.${bytes.toString('base64url')}`;
    },

    open(sealed, context) {
      const { keyId, bytes } = parseSealed(sealed, context);
      const salt = bytes.subarray(0, SALT_BYTES);
      const nonce = bytes.subarray(SALT_BYTES, SALT_BYTES + NONCE_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', deriveKey(requireKey(keyId), salt), nonce, {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(boundTo(keyId, context));
      decipher.setAuthTag(bytes.subarray(SALT_BYTES + NONCE_BYTES, HEAD_BYTES));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(HEAD_BYTES)), decipher.final()]).toString(
          'utf8',
        );
      } catch (cause) {
        throw unreadable(context, cause);
      }
    },
  };
}

function addKey(keys: Map<string, Buffer>, { id, key }: MasterKey): void {
  if (!KEY_ID.test(id))
    throw new HubError('config_invalid', 'a master key id must be 1 to 64 letters, digits, "-" or "_"');
  if (key.length !== KEY_BYTES)
    throw new HubError('config_invalid', `the master key "${id}" must have ${KEY_BYTES} bytes`);
  if (keys.has(id)) throw new HubError('config_invalid', `two master keys have the id "${id}"`);
  keys.set(id, Buffer.from(key));
}

function parseSealed(
  sealed: string,
  context: SealContext,
): { readonly keyId: string; readonly bytes: Buffer } {
  const [format, keyId, encoded, ...rest] = sealed.split('.');
  const bytes = Buffer.from(encoded ?? '', 'base64url');
  if (format !== FORMAT || keyId === undefined || rest.length > 0 || bytes.length < HEAD_BYTES)
    throw unreadable(context);
  return { keyId, bytes };
}

/** The first block of HKDF-Expand (RFC 5869, section 2.3). A master key is random, so that there is nothing to extract (section 3.3). */
function deriveKey(master: Buffer, salt: Buffer): Buffer {
  return createHmac('sha256', master).update('crosspoint sealed value').update(salt).update('\x01').digest();
}

function boundTo(keyId: string, { table, record, field }: SealContext): Buffer {
  return Buffer.from(JSON.stringify([FORMAT, keyId, table, record, field]));
}

function unreadable({ table, record, field }: SealContext, cause?: unknown): HubError {
  return new HubError(
    'internal',
    'a sealed value in the store was altered or does not belong where it was found',
    {
      cause,
      details: { table, record, field },
    },
  );
}
