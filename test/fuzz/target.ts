/** A piece of code that must cope with anything. */
export interface FuzzTarget {
  /** Name of its folder of cases. */
  readonly name: string;
  /** Texts worth trying inside an input. */
  readonly dictionary: readonly string[];
  /**
   * Runs the code on one input and throws if it did not behave. Returns a word for what happened; inputs that lead to
   * new words become starting points.
   */
  run(input: Uint8Array): string;
}

/** What a target throws when a promise of the code is broken. */
export class BrokenPromise extends Error {
  override readonly name = 'BrokenPromise';
}

export function promise(condition: boolean, what: string): asserts condition {
  if (!condition) throw new BrokenPromise(what);
}

/** Bytes as the text a peer may have meant; what is not UTF-8 becomes replacement characters. */
export function textOf(input: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(input);
}
