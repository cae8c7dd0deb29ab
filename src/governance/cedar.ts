import { createRequire } from 'node:module';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type * as Cedar from '@cedar-policy/cedar-wasm/nodejs';

const require = createRequire(import.meta.url);
const NAME = '@cedar-policy/cedar-wasm/nodejs';
const UNUSED_MS = 10 * 60_000;
/** Beyond it what the library takes is a small part, and collecting it at once would hold everybody up. */
const SMALL_HEAP_BYTES = 64 * 1024 * 1024;

/**
 * Checking policies at the start is much work done once: V8 would compile the library anew for speed while it goes on,
 * which takes a second of processor time and 60 MB. With this budget it does so only for what stays busy. Of its 7,000 functions
 * a hub uses some, so each is checked when it is first called, as it is compiled then, and not all at the start.
 *
 * V8 11 puts calls into WebAssembly inline. When it has to undo the function around such a call while the call runs, it
 * must know what kind of value will come back, and it knows numbers only: for a reference, which every function of the
 * library returns, it ends the process with «unreachable code». So it is told not to. There are few such calls, because the
 * engine remembers its decisions.
 */
export const V8_FLAGS: readonly string[] = [
  '--wasm-lazy-validation',
  '--wasm-tiering-budget=256000000',
  '--no-turbo-inline-js-wasm-calls',
];

type Library = typeof Cedar;
let library: Library | undefined;
let unused: NodeJS.Timeout | undefined;

/**
 * The policy library, loaded when it is first needed, and again after it was given up: sets of policies that it has parsed
 * are only known to the one that was asked then. Nobody keeps it, so that its memory can be given back.
 */
export function cedar(): Library {
  if (library === undefined) {
    for (const flag of V8_FLAGS) setFlagsFromString(flag);
    library = load();
    unused = setTimeout(giveUpCedar, UNUSED_MS).unref();
  } else unused?.refresh();
  return library;
}

/** The next policy or decision loads it again. V8 gives its 12 MB back when it next collects garbage. */
export function giveUpCedar(): void {
  clearTimeout(unused);
  library = undefined;
}

/**
 * Gives it up and has V8 collect it at once: of a hub that has started and is idle V8 sees too little garbage to look for
 * more, because the objects in front of the library are small. Takes some milliseconds of a small heap; a large one is left to
 * V8.
 */
export function takeBackCedar(heapBytes = getHeapStatistics().used_heap_size): void {
  giveUpCedar();
  if (heapBytes > SMALL_HEAP_BYTES) return;
  setFlagsFromString('--expose-gc');
  // Only contexts that are made from now on have it.
  runInNewContext('globalThis.gc?.()');
  setFlagsFromString('--no-expose-gc');
}

/** Whoever loads a module and the table of those that are loaded would both keep it. */
function load(): Library {
  const loader = createRequire(import.meta.url);
  const path = loader.resolve(NAME);
  try {
    return loader(path) as Library;
  } finally {
    Reflect.deleteProperty(loader.cache, path);
  }
}

/** Of the policy library, without loading it. */
export function cedarVersion(): string {
  const path = require.resolve(NAME);
  const manifest = path.replace(/[^/\\]+$/, 'package.json');
  return (require(manifest) as { readonly version: string }).version;
}
