/** Takes what has arrived in small steps. */
export interface Paced {
  /** One step. False: nothing is left. */
  step(): boolean;
}

export interface PacerOptions {
  /** Milliseconds that never go back. */
  readonly now?: () => number;
  /** All that share the event loop. */
  readonly loop?: LoopUse;
}

/** How much the servers of one event loop were asked. */
export class LoopUse {
  asked = 0;
}

/** How long is read in one turn of the event loop, and what part of the time in the long run. */
interface Pace {
  readonly sliceMs: number;
  readonly share: number;
}
/** While others are asked too, who have to wait for each slice; and while nobody else is. */
const IN_COMPANY: Pace = { sliceMs: 0.015, share: 1 / 30 };
const ALONE: Pace = { sliceMs: 0.03, share: 0.8 };
/** So long after the last question to another server somebody is still taken to wait for the answer, or to ask again. */
const COMPANY_MS = 100;
/** How much it may use before its share counts: a call that has much to tell is passed on without a pause. */
const BURST_MS = 2;
/** At most so much of a slice counts. It may have stood still for reasons of others. */
const MOST_COUNTED_MS = 1;
const SHORTEST_PAUSE_MS = 1;
/** What it costs to read a piece from the system before anybody can look at it, and each byte of it. */
const READ_MS = 0.024;
const BYTE_MS = 0.000_000_8;

/**
 * Fewer bytes are never too much at once. A call that tells how far it is may say some thirty things in so many; floods come in
 * larger pieces. To pass such an answer on in several turns costs as much again as the answer itself.
 */
export const FEW_BYTES = 4096;
/** So much may come all the time, in small pieces. */
const FEW_BYTES_PER_MS = 256;
const MOST_CREDIT = 16 * FEW_BYTES;

/** The process has one event loop. */
const LOOP = new LoopUse();

/**
 * Shares the event loop with the rest of the process. What one server sends is read for a moment in each turn, one step of each of
 * its streams after another, however much has arrived; and for a part of the time only, if it goes on.
 */
export class ReadPacer {
  readonly #now: () => number;
  readonly #loop: LoopUse;
  #asked = 0;
  /** What others had been asked when that was last looked at, and until when they count. */
  #othersAsked = 0;
  #companyUntil = 0;
  #waiting: Paced[] = [];
  #isRunning = false;
  #leftMs = BURST_MS;
  #countedAt: number;
  #credit = FEW_BYTES;
  #creditedAt: number;

  constructor({ now = () => performance.now(), loop = LOOP }: PacerOptions = {}) {
    this.#now = now;
    this.#loop = loop;
    this.#countedAt = now();
    this.#creditedAt = this.#countedAt;
  }

  /** Whether so many bytes, which came at this time, may be read at once. */
  admits(bytes: number, at?: number): boolean {
    if (this.#credit < bytes) {
      const now = at ?? this.#now();
      // Time fills it up to the size of one answer; what was earned by asking stays.
      const earned = (now - this.#creditedAt) * FEW_BYTES_PER_MS;
      this.#credit = Math.max(this.#credit, Math.min(FEW_BYTES, this.#credit + earned));
      this.#creditedAt = now;
      if (this.#credit < bytes) return false;
    }
    this.#credit -= bytes;
    return true;
  }

  /** The server was asked for something. */
  ask(): void {
    this.#asked++;
    this.#loop.asked++;
  }

  /** The answer is welcome, wherever it comes. */
  expect(): void {
    this.ask();
    this.#credit = Math.min(MOST_CREDIT, this.#credit + FEW_BYTES);
  }

  /** `bytes` were read for it. */
  add(paced: Paced, bytes: number): void {
    this.#count(this.#now(), READ_MS + bytes * BYTE_MS);
    this.#waiting.push(paced);
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#runLater();
  }

  readonly #run = (): void => {
    const startedAt = this.#now();
    const { sliceMs } = this.#paceAt(startedAt);
    let now = startedAt;
    do {
      const paced = this.#waiting.shift();
      if (paced === undefined) break;
      if (paced.step()) this.#waiting.push(paced);
      now = this.#now();
    } while (now - startedAt < sliceMs);
    this.#count(now, Math.min(MOST_COUNTED_MS, now - startedAt));
    this.#isRunning = this.#waiting.length > 0;
    if (this.#isRunning) this.#runLater();
  };

  #count(now: number, usedMs: number): void {
    this.#leftMs =
      Math.min(BURST_MS, this.#leftMs + (now - this.#countedAt) * this.#paceAt(now).share) - usedMs;
    this.#countedAt = now;
  }

  #paceAt(now: number): Pace {
    const othersAsked = this.#loop.asked - this.#asked;
    if (othersAsked > this.#othersAsked) this.#companyUntil = now + COMPANY_MS;
    this.#othersAsked = othersAsked;
    return now < this.#companyUntil ? IN_COMPANY : ALONE;
  }

  #runLater(): void {
    if (this.#leftMs > 0) setImmediate(this.#run);
    else setTimeout(this.#run, Math.max(SHORTEST_PAUSE_MS, -this.#leftMs / this.#paceAt(this.#now()).share));
  }
}
