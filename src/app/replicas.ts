import { randomToken, type Feed } from '../kernel/index.js';

/** What may have changed: agents and their keys, policies, connectors, what connectors offer. */
export type ReplicaTopic = 'agents' | 'policies' | 'connectors' | 'snapshots';

/** What this process tells the others that share its store, and hears of them. Nothing secret is in it. */
export class Replicas {
  readonly #feed: Feed;
  readonly #self = randomToken(9);

  constructor(feed: Feed) {
    this.#feed = feed;
  }

  /** After it was stored: whoever hears it looks into the store. */
  announce(topic: ReplicaTopic, detail = ''): void {
    this.#feed.publish(topic, `${this.#self} ${detail}`);
  }

  /** Only of others. `undefined`: something was missed, and everything of the topic may be different. */
  hear(topic: ReplicaTopic, listener: (detail: string | undefined) => void): () => void {
    return this.#feed.subscribe(topic, (message) => {
      const from = message?.indexOf(' ') ?? -1;
      if (message === undefined || from < 0) listener(undefined);
      else if (message.slice(0, from) !== this.#self) listener(message.slice(from + 1));
    });
  }
}
