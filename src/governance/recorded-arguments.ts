import { hash } from 'node:crypto';
import { keepText, stringifyJson, type JsonObject } from '../mcp/jsonrpc/index.js';
import type { RecordedArguments } from './events.js';

/** What is longer is kept for the request that is written next: writing it twice would take as long again. */
const LONG_TEXT = 16 * 1024;

export type ArgumentsRecorder = (args: JsonObject | undefined) => RecordedArguments;

/** `off`: size only. `hashed`: equal arguments can be recognised, not read. `encrypted`: whoever has the master key can read them. */
export function createArgumentsRecorder(
  mode: 'off' | 'hashed' | 'encrypted',
  { hashKey, seal }: { readonly hashKey: Buffer; readonly seal: (text: string) => string },
): ArgumentsRecorder {
  const keyedHash = createKeyedHash(hashKey);
  return (args) => {
    const text = args === undefined ? '' : stringifyJson(args);
    const bytes = Buffer.byteLength(text);
    if (args !== undefined && text.length > LONG_TEXT) keepText(args, text);
    if (mode === 'off') return { bytes };
    if (mode === 'encrypted') return { bytes, sealed: seal(text) };
    return { bytes, hash: keyedHash(text, bytes) };
  };
}

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
/** Longer texts get a buffer of their own. */
const MOST_SHARED = 16 * 1024;

/**
 * HMAC with SHA-256 (RFC 2104) of two plain hashes, as base64url. The `Hmac` of Node is an object with a stream around it,
 * which for a short text costs three times as much as the hashes.
 */
function createKeyedHash(key: Buffer): (text: string, bytes: number) => string {
  const padded = Buffer.alloc(BLOCK_BYTES);
  (key.length > BLOCK_BYTES ? hash('sha256', key, 'buffer') : key).copy(padded);
  const inner = Buffer.alloc(BLOCK_BYTES + MOST_SHARED);
  const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);
  for (let i = 0; i < BLOCK_BYTES; i++) {
    const byte = padded[i] ?? 0;
    inner[i] = byte ^ 0x36;
    outer[i] = byte ^ 0x5c;
  }
  // Digests as text of one character for each byte: a buffer for each of them would cost more than the hash.
  const innerHash = (text: string, bytes: number): string => {
    if (bytes > MOST_SHARED)
      return hash('sha256', Buffer.concat([inner.subarray(0, BLOCK_BYTES), Buffer.from(text)]), 'binary');
    inner.write(text, BLOCK_BYTES);
    return hash('sha256', inner.subarray(0, BLOCK_BYTES + bytes), 'binary');
  };
  return (text, bytes) => {
    outer.write(innerHash(text, bytes), BLOCK_BYTES, 'binary');
    return hash('sha256', outer, 'base64url');
  };
}
