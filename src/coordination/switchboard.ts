import { setTimeout as sleep } from 'node:timers/promises';
import type { AskOptions, Coordination, LineListener, Switchboard } from '../kernel/index.js';

/** Keeps what is said between processes from whoever else reaches the feed. `place` is what it is bound to. */
export interface MessageSeal {
  seal(text: string, place: string): string;
  /** Throws if it was altered, or sealed for another place. */
  open(sealed: string, place: string): string;
}

/** How often it is looked whether whoever is asked still lives. */
const LOOK_MS = 2_000;
/** One whose connection was cut is back within this time, unless nothing is. */
const BACK_MS = 3_000;
/** How long an answer is kept for one who cannot be reached, and how often it is tried. */
const KEPT_MS = 60_000;
const AGAIN_MS = 500;
/** How often one who is slow to answer looks whether the answer is wanted, and how often in vain until it is not. */
const WANTED_MS = 30_000;
const MOST_MISSES = 3;
const ANSWERS = '';

/**
 * t: told, q: asked, n: said before the answer, a: the answer, s: there is none, x: not wanted any more, p: whether anybody
 * is there, and with the id of a question, whether that is being answered, w: whether the answer is wanted.
 */
type Kind = 't' | 'q' | 'n' | 'a' | 's' | 'x' | 'p' | 'w';

interface Waiting {
  readonly onNote: ((note: string) => void) | undefined;
  readonly settle: (answer: string | undefined) => void;
}

/** What it needs of the coordination. */
interface Carrier extends Pick<Coordination, 'self'> {
  readonly feed: Pick<Coordination['feed'], 'publish' | 'send' | 'subscribe'>;
}

export function createSwitchboard(coordination: Carrier, seal: MessageSeal): Switchboard & { close(): void } {
  return new FeedSwitchboard(coordination, seal);
}

class FeedSwitchboard implements Switchboard {
  readonly self: string;
  readonly #feed: Carrier['feed'];
  readonly #seal: MessageSeal;
  readonly #waiting = new Map<string, Waiting>();
  /** Questions of others that are being answered. */
  readonly #answering = new Map<string, AbortController>();
  readonly #stops = new Set<() => void>();
  #count = 0;
  #closed = false;

  constructor({ self, feed }: Carrier, seal: MessageSeal) {
    this.self = self;
    this.#feed = feed;
    this.#seal = seal;
    this.#stops.add(
      feed.subscribe(topicOf(ANSWERS), (message) => {
        if (message !== undefined) this.#received(ANSWERS, message, {});
      }),
    );
  }

  tell(to: string | undefined, line: string, message: string): void {
    if (to === undefined) this.#feed.publish(topicOf(line), this.#write('', line, 't', '', message));
    else this.#send(to, line, 't', '', message).catch(() => {});
  }

  ask(to: string, line: string, message: string, options: AskOptions): Promise<string | undefined> {
    const { timeoutMs, patient = false, signal, onNote } = options;
    if (this.#closed || signal?.aborted === true) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const id = `${this.self}${++this.#count}`;
      const leave = (): void => {
        settle(undefined);
        this.#send(to, line, 'x', id, '').catch(() => {});
      };
      const look = setInterval(() => {
        this.#isGone(to, id).then(
          (gone) => gone && settle(undefined),
          // Nobody can tell; the deadline holds.
          () => {},
        );
      }, LOOK_MS);
      look.unref();
      const deadline = setTimeout(leave, timeoutMs);
      deadline.unref();
      signal?.addEventListener('abort', leave, { once: true });
      const settle = (answer: string | undefined): void => {
        clearInterval(look);
        clearTimeout(deadline);
        signal?.removeEventListener('abort', leave);
        this.#waiting.delete(id);
        resolve(answer);
      };
      this.#waiting.set(id, { onNote, settle });
      const keepMs = patient ? BACK_MS : 0;
      const isOver = (): boolean => !this.#waiting.has(id);
      this.#keepSending(to, line, ['q', id, message], keepMs, isOver).then(
        (there) => !there && settle(undefined),
        () => settle(undefined),
      );
    });
  }

  isGone(name: string): Promise<boolean> {
    return this.#isGone(name, '');
  }

  serve(line: string, listener: LineListener): () => void {
    const stop = this.#feed.subscribe(topicOf(line), (message) => {
      if (message === undefined) listener.missed?.();
      else this.#received(line, message, listener);
    });
    this.#stops.add(stop);
    return () => {
      this.#stops.delete(stop);
      stop();
    };
  }

  close(): void {
    this.#closed = true;
    for (const stop of this.#stops) stop();
    for (const { settle } of this.#waiting.values()) settle(undefined);
    for (const abort of this.#answering.values()) abort.abort();
  }

  /** Whoever is there and knows nothing of that question says so. */
  async #isGone(name: string, question: string): Promise<boolean> {
    const look = (): Promise<boolean> => this.#send(name, ANSWERS, 'p', question, '');
    if (await look()) return false;
    await sleep(BACK_MS, undefined, { ref: false });
    return !(await look());
  }

  #send(to: string, line: string, kind: Kind, id: string, body: string): Promise<boolean> {
    return this.#feed.send(to, topicOf(line), this.#write(to, line, kind, id, body));
  }

  #write(to: string, line: string, kind: Kind, id: string, body: string): string {
    return this.#seal.seal(JSON.stringify([kind, this.self, id, to, body]), line);
  }

  #received(line: string, sealed: string, listener: LineListener): void {
    let parts: readonly string[];
    try {
      parts = JSON.parse(this.#seal.open(sealed, line)) as readonly string[];
    } catch {
      // Not ours, or of a hub with other keys.
      return;
    }
    const [kind, from = '', id = '', to, body = ''] = parts;
    if (this.#closed || (to !== '' && to !== this.self) || (to === '' && from === this.self)) return;
    if (kind === 't') listener.told?.(from, body);
    else if (kind === 'q') this.#answer(from, id, body, listener);
    else if (kind === 'n') this.#waiting.get(id)?.onNote?.(body);
    else if (kind === 'a' || kind === 's') this.#waiting.get(id)?.settle(kind === 'a' ? body : undefined);
    else if (kind === 'x') this.#answering.get(id)?.abort();
    else if (kind === 'p' && id !== '' && !this.#answering.has(id))
      this.#send(from, ANSWERS, 's', id, '').catch(() => {});
    else if (kind === 'w' && !this.#waiting.has(id)) this.#send(from, ANSWERS, 'x', id, '').catch(() => {});
  }

  #answer(from: string, id: string, body: string, listener: LineListener): void {
    const abort = new AbortController();
    this.#answering.set(id, abort);
    const stopLooking = this.#whileWanted(from, id, () => abort.abort());
    const reply = (kind: Kind, text: string): void => {
      stopLooking();
      if (this.#closed) return;
      void this.#keepSending(from, ANSWERS, [kind, id, text], KEPT_MS, () => abort.signal.aborted).finally(
        () => this.#answering.delete(id),
      );
    };
    const note = (text: string): void => {
      if (this.#answering.has(id)) this.#send(from, ANSWERS, 'n', id, text).catch(() => {});
    };
    if (listener.asked === undefined) {
      reply('s', '');
      return;
    }
    listener.asked(from, body, { note, signal: abort.signal }).then(
      (text) => reply('a', text),
      () => reply('s', ''),
    );
  }

  /** Whoever was killed, or cut off when it left, could not say that it does not want the answer any more. */
  #whileWanted(from: string, id: string, unwanted: () => void): () => void {
    let misses = 0;
    const look = setInterval(() => {
      this.#send(from, ANSWERS, 'w', id, '').then(
        (there) => {
          misses = there ? 0 : misses + 1;
          if (misses >= MOST_MISSES) unwanted();
        },
        // Nobody can tell.
        () => {},
      );
    }, WANTED_MS);
    look.unref();
    return () => clearInterval(look);
  }

  /** One who cannot be reached may only be cut off for a moment. Whether it was heard. */
  async #keepSending(
    to: string,
    line: string,
    [kind, id, body]: readonly [Kind, string, string],
    keepMs: number,
    isOver: () => boolean,
  ): Promise<boolean> {
    for (let ms = 0; ; ms += AGAIN_MS) {
      if (await this.#send(to, line, kind, id, body).catch(() => false)) return true;
      if (ms >= keepMs || this.#closed || isOver()) return false;
      await sleep(AGAIN_MS, undefined, { ref: false });
    }
  }
}

function topicOf(line: string): string {
  return `line:${line}`;
}
