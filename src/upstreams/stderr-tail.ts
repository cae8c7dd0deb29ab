import { withoutSecrets } from './without-secrets.js';

const MAX_LINES = 200;

/** The last lines a process wrote to its stderr, for people who look for the reason of a failure. */
export class StderrTail {
  readonly #secrets: readonly string[];
  #lines: string[] = [];

  /** What the process was given and nobody may read is not shown, should it print it. */
  constructor(secrets: readonly string[] = []) {
    this.#secrets = secrets;
  }

  push(line: string): void {
    this.#lines.push(withoutSecrets(line, this.#secrets));
    if (this.#lines.length > 2 * MAX_LINES) this.#lines = this.#lines.slice(-MAX_LINES);
  }

  lines(): readonly string[] {
    return this.#lines.slice(-MAX_LINES);
  }
}
