const MAX_LINES = 200;
/** Shorter values would be found in ordinary words. */
const SHORTEST_SECRET = 6;

/** The last lines a process wrote to its stderr, for people who look for the reason of a failure. */
export class StderrTail {
  readonly #secrets: readonly string[];
  #lines: string[] = [];

  /** What the process was given and nobody may read is not shown, should it print it. */
  constructor(secrets: readonly string[] = []) {
    this.#secrets = secrets.filter((secret) => secret.length >= SHORTEST_SECRET);
  }

  push(line: string): void {
    let shown = line;
    for (const secret of this.#secrets) shown = shown.replaceAll(secret, '***');
    this.#lines.push(shown);
    if (this.#lines.length > 2 * MAX_LINES) this.#lines = this.#lines.slice(-MAX_LINES);
  }

  lines(): readonly string[] {
    return this.#lines.slice(-MAX_LINES);
  }
}
