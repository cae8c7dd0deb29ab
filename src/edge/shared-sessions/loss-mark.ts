import { setTimeout as sleep } from 'node:timers/promises';
import type { SharedStore } from '../../kernel/index.js';

/** Far longer than any session. */
const KEPT_MS = 30 * 24 * 3_600_000;
/** How long those who remember something have to give it back. */
const GIVE_BACK_MS = 1_000;

/** Stands in a store for as long as that forgets nothing: who misses it knows that all was lost, though nobody was told. */
export class LossMark {
  readonly #store: Pick<SharedStore, 'get' | 'add'>;
  readonly #key: string;
  readonly #tellLoss: () => void;
  #isLeft = false;
  #regaining: Promise<void> | undefined;

  /** `tellLoss` has everybody give back what they remember. */
  constructor(store: Pick<SharedStore, 'get' | 'add'>, key: string, tellLoss: () => void) {
    this.#store = store;
    this.#key = key;
    this.#tellLoss = tellLoss;
  }

  /** By whoever puts something into the store. */
  async leave(): Promise<void> {
    if (this.#isLeft) return;
    this.#isLeft = true;
    // Where it was missing others may have lost something.
    if (await this.#add()) this.#tellLoss();
  }

  /** By whoever finds nothing. True where all was lost, when what others remember is back. */
  async regain(): Promise<boolean> {
    if ((await this.#store.get(this.#key, KEPT_MS)) !== undefined) return false;
    this.#regaining ??= this.#wait().finally(() => (this.#regaining = undefined));
    await this.#regaining;
    return true;
  }

  async #wait(): Promise<void> {
    this.#tellLoss();
    await sleep(GIVE_BACK_MS, undefined, { ref: false });
    await this.#add();
  }

  #add(): Promise<boolean> {
    return this.#store.add(this.#key, '', KEPT_MS);
  }
}
