/** Has something to write to its client. */
export interface PendingAnswer {
  /** Writes it. */
  flush(): void;
}

/**
 * What leaves for clients within one turn of the event loop. A write to somebody who sleeps wakes them, which costs
 * more than the write itself; those who read many connections are awake for all that leave together. So the first
 * answer of a turn leaves at once, as the only one does, and the others follow at its end.
 */
export class AnswerTurn {
  #waiting: PendingAnswer[] = [];
  #isUnderWay = false;

  /** Now if it is the first of its turn, else at the turn's end. */
  leave(answer: PendingAnswer): void {
    if (this.#isUnderWay) {
      this.#waiting.push(answer);
      return;
    }
    this.#begin();
    answer.flush();
  }

  /** At the end of the turn, with whatever else is there by then. */
  leaveLast(answer: PendingAnswer): void {
    this.#waiting.push(answer);
    if (!this.#isUnderWay) this.#begin();
  }

  #begin(): void {
    this.#isUnderWay = true;
    setImmediate(this.#end);
  }

  readonly #end = (): void => {
    const waiting = this.#waiting;
    this.#isUnderWay = false;
    if (waiting.length === 0) return;
    this.#waiting = [];
    for (const answer of waiting) answer.flush();
  };
}
