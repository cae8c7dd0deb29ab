type Listener = (message: string | undefined) => void;

/** Who listens in this process, and how they are told. One that fails does not keep the others from hearing. */
export class LocalFeed {
  readonly #topics = new Map<string, Set<Listener>>();
  #closed = false;

  subscribe(topic: string, listener: Listener): () => void {
    const listeners = this.#topics.get(topic) ?? new Set();
    this.#topics.set(topic, listeners);
    // Of its own, so that the same function can listen twice.
    const own: Listener = (message) => listener(message);
    listeners.add(own);
    return () => {
      listeners.delete(own);
      if (listeners.size === 0 && this.#topics.get(topic) === listeners) this.#topics.delete(topic);
    };
  }

  deliver(topic: string, message: string | undefined): void {
    if (this.#closed) return;
    for (const listener of this.#topics.get(topic) ?? []) {
      try {
        listener(message);
      } catch {
        // Listeners look after their own failures.
      }
    }
  }

  /** Tells everybody that messages may have been lost. */
  deliverLoss(): void {
    for (const topic of this.#topics.keys()) this.deliver(topic, undefined);
  }

  close(): void {
    this.#closed = true;
    this.#topics.clear();
  }
}
