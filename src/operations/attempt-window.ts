const MAX_SOURCES = 10_000;

/** Counts attempts by where they came from, within a time that slides. */
export class AttemptWindow {
  readonly #limit: number;
  readonly #windowMs: number;
  /** Times of the latest attempts; the source that was quiet longest comes first. */
  readonly #attempts = new Map<string, readonly number[]>();

  constructor({ limit, windowMs }: { readonly limit: number; readonly windowMs: number }) {
    this.#limit = limit;
    this.#windowMs = windowMs;
  }

  /** Whether it was still within the limit. */
  note(source: string, now: number): boolean {
    const recent = this.#recent(source, now);
    if (recent.length >= this.#limit) return false;
    this.#attempts.delete(source);
    if (this.#attempts.size >= MAX_SOURCES) this.#forgetOldest();
    this.#attempts.set(source, [...recent, now]);
    return true;
  }

  /** How long until the source may try again; 0 when it may. */
  blockedFor(source: string, now: number): number {
    const recent = this.#recent(source, now);
    const first = recent[0];
    return first === undefined || recent.length < this.#limit ? 0 : first + this.#windowMs - now;
  }

  #recent(source: string, now: number): readonly number[] {
    return (this.#attempts.get(source) ?? []).filter((at) => at + this.#windowMs > now);
  }

  #forgetOldest(): void {
    const oldest = this.#attempts.keys().next();
    if (oldest.done !== true) this.#attempts.delete(oldest.value);
  }
}
