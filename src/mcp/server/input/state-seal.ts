import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { isObject, parseJson, stringifyJson, type Json } from '../../jsonrpc/index.js';

/**
 * Turns state into text a client may hold, and back. Whoever opens it gets exactly what was sealed under the same
 * context, or nothing: altered, foreign, expired and used text all look alike.
 */
export interface StateSeal {
  /** `context` is what the text is bound to: it opens under the same one only. */
  seal(state: Json, context: string): string;
  open(text: string, context: string): Json | undefined;
  /** What was opened was not used after all, and may be opened again. */
  reopen?(text: string): void;
}

/** A `key` is needed where several processes open what one of them sealed. */
export interface StateSealOptions {
  /** 32 bytes. Random when absent: then text does not outlive the process. */
  readonly key?: Uint8Array;
  readonly lifetimeMs?: number;
  /** Refuse text that was opened before, so that a repeated answer cannot repeat an effect. Default true. */
  readonly singleUse?: boolean;
  /** How many used texts are remembered, at most. */
  readonly maxUsed?: number;
  readonly clock?: () => number;
}

const VERSION = 's1.';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MAX_LENGTH = 1024 * 1024;

/** AES-256-GCM. The context is authenticated, the expiry is inside. */
export function createStateSeal(options: StateSealOptions = {}): StateSeal {
  return new AeadSeal(options);
}

class AeadSeal implements StateSeal {
  readonly #key: Uint8Array;
  readonly #lifetimeMs: number;
  readonly #now: () => number;
  readonly #used: UsedSeals | undefined;

  constructor(options: StateSealOptions) {
    this.#key = options.key ?? randomBytes(32);
    if (this.#key.byteLength !== 32) throw new TypeError('the key of a state seal has 32 bytes');
    this.#lifetimeMs = options.lifetimeMs ?? 10 * 60_000;
    this.#now = options.clock ?? Date.now;
    this.#used = options.singleUse === false ? undefined : new UsedSeals(options.maxUsed ?? 100_000);
  }

  seal(state: Json, context: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce);
    cipher.setAAD(Buffer.from(context));
    const plain = stringifyJson({ exp: this.#now() + this.#lifetimeMs, state });
    const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return VERSION + sealed.toString('base64url');
  }

  open(text: string, context: string): Json | undefined {
    const plain = this.#decrypt(text, context);
    if (plain === undefined) return undefined;
    const content = parseJson(plain);
    if (!isObject(content)) return undefined;
    const { exp, state } = content;
    const now = this.#now();
    if (typeof exp !== 'number' || exp <= now || state === undefined) return undefined;
    return this.#used === undefined || this.#used.claim(text, exp, now) ? state : undefined;
  }

  reopen(text: string): void {
    this.#used?.free(text);
  }

  #decrypt(text: string, context: string): string | undefined {
    if (!text.startsWith(VERSION) || text.length > MAX_LENGTH) return undefined;
    const encoded = text.slice(VERSION.length);
    const sealed = Buffer.from(encoded, 'base64url');
    // Node skips what is not Base64; only the one canonical spelling is ours.
    if (sealed.length < NONCE_BYTES + TAG_BYTES || sealed.toString('base64url') !== encoded) return undefined;
    const decipher = createDecipheriv('aes-256-gcm', this.#key, sealed.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(context));
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    try {
      return (
        decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      );
    } catch {
      return undefined;
    }
  }
}

/** Remembers the nonces of used texts until they expire. */
class UsedSeals {
  readonly #max: number;
  readonly #expiries = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  claim(text: string, exp: number, now: number): boolean {
    const nonce = nonceOf(text);
    if (this.#expiries.has(nonce)) return false;
    for (const [oldest, expiry] of this.#expiries) {
      if (expiry > now && this.#expiries.size < this.#max) break;
      this.#expiries.delete(oldest);
    }
    this.#expiries.set(nonce, exp);
    return true;
  }

  free(text: string): void {
    this.#expiries.delete(nonceOf(text));
  }
}

function nonceOf(text: string): string {
  return text.slice(VERSION.length, VERSION.length + (NONCE_BYTES * 4) / 3);
}
