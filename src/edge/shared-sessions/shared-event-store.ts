import { createHash } from 'node:crypto';
import type { SharedStore } from '../../kernel/index.js';
import type { EventStore, SessionKey, StoredEvent } from '../../mcp/server/index.js';

export interface SharedEventOptions {
  readonly store: SharedStore;
  readonly endpoint: string;
  /** What was answered to clients is not left in the clear. `place` is what it is bound to. */
  readonly seal: { seal(text: string, place: string): string; open(sealed: string, place: string): string };
  readonly ttlMs?: number;
  readonly items?: number;
  readonly bytes?: number;
}

/** Stream, position and text; without a text it was too large to be kept. */
type Kept = readonly [stream: string, seq: number, text: string | null];

/** Events of sessions that any replica may be asked for. */
export class SharedEventStore implements EventStore {
  readonly #options: Required<SharedEventOptions>;

  constructor(options: SharedEventOptions) {
    this.#options = { ttlMs: 10 * 60_000, items: 1000, bytes: 4 * 1024 * 1024, ...options };
  }

  append(key: SessionKey, { stream, seq, text }: StoredEvent): Promise<void> {
    const { store, ttlMs, items, bytes } = this.#options;
    const name = this.#nameOf(key);
    const whole = this.#write(name, [stream, seq, text]);
    const kept = whole.length > bytes ? this.#write(name, [stream, seq, null]) : whole;
    return store.push(name, kept, { ttlMs, items, bytes });
  }

  async read(key: SessionKey, stream: string, afterSeq: number): Promise<readonly StoredEvent[] | undefined> {
    const { store, seal } = this.#options;
    const name = this.#nameOf(key);
    const kept = (await store.list(name)).map((text) => JSON.parse(seal.open(text, name)) as Kept);
    const own = kept.filter(([of]) => of === stream);
    const after = own.filter(([, seq]) => seq > afterSeq);
    // A gap must not look like a whole stream.
    if (own.length === 0 || after.some(([, , text]) => text === null)) return undefined;
    return after.map(([, seq, text]) => ({ stream, seq, text: text ?? '' }));
  }

  forget(key: SessionKey): Promise<void> {
    return this.#options.store.delete(this.#nameOf(key));
  }

  #write(name: string, kept: Kept): string {
    return this.#options.seal.seal(JSON.stringify(kept), name);
  }

  #nameOf({ principal, session }: SessionKey): string {
    const digest = createHash('sha256').update(`${principal.length}:${principal}:${session}`);
    return `events:${this.#options.endpoint}:${digest.digest('base64url')}`;
  }
}
