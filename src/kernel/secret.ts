import { inspect } from 'node:util';

/** A value that must not be printed. It can only be read on purpose. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  /** Enough for a person to recognise it, too little to use it. */
  get last4(): string {
    return this.#value.length >= 12 ? this.#value.slice(-4) : '';
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}
