/** Tells whoever wants to hear it. A listener that fails does not keep the others from hearing. */
export class Signal<Value = void> {
  readonly #listeners = new Set<(value: Value) => void>();

  on(listener: (value: Value) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(value: Value): void {
    for (const listener of this.#listeners) {
      try {
        listener(value);
      } catch {
        // Listeners look after their own failures.
      }
    }
  }
}
