import { expect, test } from 'vitest';
import { changedOptions } from './changed-options.js';
import type { RoundOptions } from './upstream.js';

/** As callers have them that make a signal only for those who need one: methods, and not members of the object. */
class LazyOptions implements RoundOptions {
  readonly logLevel = 'info';
  readonly askedAs = 'a';
  read = 0;
  readonly #controller = new AbortController();

  get signal(): AbortSignal {
    this.read++;
    return this.#controller.signal;
  }

  onAbort(listener: () => void): void {
    this.#controller.signal.addEventListener('abort', listener);
  }

  abort(): void {
    this.#controller.abort();
  }
}

test('all options are kept but those that change, and the signal is read by whoever needs it', () => {
  const given = new LazyOptions();
  let told = 0;
  const changed = changedOptions(changedOptions(given, { askedAs: 'b' }), { tag: 'mine' });
  changed.onAbort?.(() => told++);
  given.abort();
  expect(given.read).toBe(0);
  expect(changed).toMatchObject({ logLevel: 'info', askedAs: 'b', tag: 'mine' });
  expect(told).toBe(1);
  expect(changed.signal?.aborted).toBe(true);
});

test('who gives up by a signal alone still does', () => {
  const { signal } = new AbortController();
  const changed = changedOptions({ signal }, { asTask: {} });
  expect(changed.onAbort).toBeUndefined();
  expect(changed.signal).toBe(signal);
});
