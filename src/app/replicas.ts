import type { Coordination, Feed, Logger } from '../kernel/index.js';

/** What may have changed: agents and their keys, policies, connectors, what connectors offer, how their syncs ended. */
export type ReplicaTopic = 'agents' | 'policies' | 'connectors' | 'snapshots' | 'health';

/** Asks whether everything said before is in force, and answers it. */
const ASKED = 'settle';
const ANSWERED = 'settled';
/** How long others are waited for. One that stands still puts in force what it missed when it goes on. */
const SETTLE_MS = 2_000;

/** What this process tells the others that share its store, and hears of them. Nothing secret is in it. */
export class Replicas {
  /** What is said over it is waited for by `settled`. */
  readonly feed: Feed;
  readonly #self: string;
  readonly #logger: Logger;
  readonly #answered = new Map<string, () => void>();
  readonly #listeners = new Map<ReplicaTopic, Set<(detail: string | undefined) => void>>();
  /** Who asked before it was known what has to be put in force here. */
  #early: string[] = [];
  #inForce: (() => Promise<void>) | undefined;
  #isTold = false;
  #settling: Promise<void> = Promise.resolve();
  #count = 0;

  constructor({ self, feed }: Pick<Coordination, 'self' | 'feed'>, logger: Logger) {
    this.#self = self;
    this.#logger = logger;
    this.feed = {
      ...bound(feed),
      publish: (topic, message) => {
        this.#isTold = true;
        feed.publish(topic, message);
      },
    };
    feed.subscribe(ASKED, (message) => void this.#asked(message ?? ''));
    feed.subscribe(ANSWERED, (message) => this.#answered.get(message ?? '')?.());
  }

  /** After it was stored: whoever hears it looks into the store. */
  announce(topic: ReplicaTopic, detail = ''): void {
    this.feed.publish(topic, `${this.#self} ${detail}`);
  }

  /** Only of others. `undefined`: something was missed, and everything of the topic may be different. */
  hear(topic: ReplicaTopic, listener: (detail: string | undefined) => void): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners.add(listener));
    const stop = this.feed.subscribe(topic, (message) => {
      const from = message?.indexOf(' ') ?? -1;
      if (message === undefined || from < 0) listener(undefined);
      else if (message.slice(0, from) !== this.#self) listener(message.slice(from + 1));
    });
    return () => {
      listeners.delete(listener);
      stop();
    };
  }

  /** Others may have said something that cannot be heard at the moment. */
  doubt(topic: ReplicaTopic): void {
    for (const listener of this.#listeners.get(topic) ?? []) listener(undefined);
  }

  /** How to wait until what was heard is in force here. */
  followed(inForce: () => Promise<void>): void {
    this.#inForce = inForce;
    for (const message of this.#early.splice(0)) void this.#asked(message);
  }

  /** All others have put in force what was told until now, or were waited for long enough. */
  settled(): Promise<void> {
    if (this.#isTold) {
      this.#isTold = false;
      this.#settling = this.#settle();
    }
    return this.#settling;
  }

  async #settle(): Promise<void> {
    const id = `${this.#self}.${++this.#count}`;
    let missing = 0;
    let done: (() => void) | undefined;
    const all = new Promise<void>((resolve) => (done = resolve));
    this.#answered.set(id, () => {
      if (--missing === 0) done?.();
    });
    // Messages keep their order, so whoever hears this has heard what was told before. Answers may come first.
    const reached = await this.feed.reach(ASKED, `${this.#self} ${id}`);
    missing += Math.max(0, reached - 1);
    if (missing > 0) await Promise.race([all, elapsed(SETTLE_MS)]);
    this.#answered.delete(id);
    if (missing > 0)
      this.#logger.warn(
        { replicas: missing },
        'a change was not confirmed by every replica in time; those put it in force when they can',
      );
  }

  async #asked(message: string): Promise<void> {
    const [from = '', id = ''] = message.split(' ');
    if (from === this.#self || id === '') return;
    if (this.#inForce === undefined) {
      this.#early.push(message);
      return;
    }
    await this.#inForce();
    await this.feed.send(from, ANSWERED, id).catch(() => {});
  }
}

/** Its methods may be those of a class. */
function bound(feed: Feed): Feed {
  return {
    publish: (topic, message) => feed.publish(topic, message),
    reach: (topic, message) => feed.reach(topic, message),
    send: (to, topic, message) => feed.send(to, topic, message),
    subscribe: (topic, listener) => feed.subscribe(topic, listener),
  };
}

function elapsed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
