/** How many of each. Calls are known by their number. */
export interface CallCounts {
  readonly made: number;
  readonly answered: number;
  /** The hub said that it would not. */
  readonly refused: number;
  /** The caller gave up. */
  readonly cancelled: number;
  /** Neither an answer nor a refusal. */
  readonly lost: number;
  /** Answers and questions that belong to another call. */
  readonly crossed: number;
  /** Carried out more than once. */
  readonly doubled: number;
  /** Answered, and carried out by nobody. */
  readonly invented: number;
}

const ANSWERED = 0x80;
const TIMES = 0x7f;
const MOST_EXAMPLES = 20;

/** Who asked, who was answered, and what was carried out. One byte for each call, so that hours of them fit. */
export class CallBook {
  #calls = new Uint8Array(1 << 16);
  #made = 0;
  #answered = 0;
  #refused = 0;
  #cancelled = 0;
  #lost = 0;
  #crossed = 0;
  /** By what is the same in all of their kind. */
  readonly #examples = new Map<string, string>();

  /** Of each kind of trouble the first. */
  get examples(): readonly string[] {
    return [...this.#examples.values()];
  }

  get made(): number {
    return this.#made;
  }

  /** The name of a new call. */
  begin(): string {
    if (++this.#made >= this.#calls.length) {
      const wider = new Uint8Array(this.#calls.length * 2);
      wider.set(this.#calls);
      this.#calls = wider;
    }
    return String(this.#made);
  }

  carriedOut(call: string): void {
    const n = Number(call);
    const known = this.#calls[n];
    if (known === undefined || n > this.#made || n === 0)
      this.crossed(call, 'was carried out and never made');
    else if ((known & TIMES) < TIMES) this.#calls[n] = known + 1;
  }

  answered(call: string): void {
    const n = Number(call);
    const known = this.#calls[n] ?? 0;
    if ((known & ANSWERED) !== 0) this.crossed(call, 'was answered twice');
    this.#calls[n] = known | ANSWERED;
    this.#answered++;
  }

  refused(call: string, why: string): void {
    this.#refused++;
    this.#note(`${call} refused: ${why}`);
  }

  cancelled(): void {
    this.#cancelled++;
  }

  lost(call: string, why: string): void {
    this.#lost++;
    this.#note(`${call} lost: ${why}`);
  }

  crossed(call: string, what: string): void {
    this.#crossed++;
    this.#note(`${call} crossed: ${what}`);
  }

  counts(): CallCounts {
    let doubled = 0;
    let invented = 0;
    for (let n = 1; n <= this.#made; n++) {
      const known = this.#calls[n] ?? 0;
      const times = known & TIMES;
      if (times > 1) doubled++;
      if (times === 0 && (known & ANSWERED) !== 0) invented++;
    }
    return {
      made: this.#made,
      answered: this.#answered,
      refused: this.#refused,
      cancelled: this.#cancelled,
      lost: this.#lost,
      crossed: this.#crossed,
      doubled,
      invented,
    };
  }

  #note(line: string): void {
    const kind = line.replaceAll(/\d+/g, '');
    if (this.#examples.size < MOST_EXAMPLES && !this.#examples.has(kind))
      this.#examples.set(kind, line.slice(0, 300));
  }
}
