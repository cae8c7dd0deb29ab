const MAX_LINES = 200;

/** The last lines a process wrote to its stderr, for people who look for the reason of a failure. */
export class StderrTail {
  #lines: string[] = [];

  push(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > 2 * MAX_LINES) this.#lines = this.#lines.slice(-MAX_LINES);
  }

  lines(): readonly string[] {
    return this.#lines.slice(-MAX_LINES);
  }
}
