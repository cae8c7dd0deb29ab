import { mutate, type Material } from './mutate.js';
import type { Random } from './random.js';
import type { FuzzTarget } from './target.js';

/** Longer than this on one input of at most 64 KiB, and somebody could stop us with it. */
const STALL_MS = 100;

export interface Finding {
  readonly input: Uint8Array;
  readonly fault: string;
}

export interface FuzzOptions {
  readonly target: FuzzTarget;
  readonly corpus: readonly Uint8Array[];
  readonly random: Random;
  readonly milliseconds: number;
  /** Stops after this many, so that one fault does not fill the disk. */
  readonly maxFindings?: number;
}

export interface FuzzOutcome {
  readonly runs: number;
  readonly milliseconds: number;
  readonly findings: readonly Finding[];
}

/** Mutates the corpus for a while and collects the inputs on which the target did not behave. */
export function fuzz(options: FuzzOptions): FuzzOutcome {
  const { target, random, maxFindings = 5 } = options;
  const pool: Uint8Array[] = [new Uint8Array(), ...options.corpus];
  const material: Material = { pool, dictionary: target.dictionary };
  const seen = new Set<string>();
  const findings = new Map<string, Finding>();
  const start = performance.now();
  let runs = 0;
  let now = start;
  while (now - start < options.milliseconds && findings.size < maxFindings) {
    const input = mutate(material, random);
    const outcome = tryOnce(target, input);
    runs++;
    if ('fault' in outcome) findings.set(outcome.fault, { input, fault: outcome.fault });
    else if (outcome.milliseconds > STALL_MS && stalls(target, input)) {
      findings.set('stall', { input, fault: `takes more than ${STALL_MS} ms` });
    } else if (!seen.has(outcome.word)) {
      seen.add(outcome.word);
      pool.push(input);
    }
    now = performance.now();
  }
  return { runs, milliseconds: now - start, findings: [...findings.values()] };
}

/** What is wrong with the target on this input, if anything. */
export function faultOn(target: FuzzTarget, input: Uint8Array): string | undefined {
  const outcome = tryOnce(target, input);
  if ('fault' in outcome) return outcome.fault;
  return outcome.milliseconds > STALL_MS && stalls(target, input)
    ? `takes more than ${STALL_MS} ms`
    : undefined;
}

type Outcome = { readonly fault: string } | { readonly word: string; readonly milliseconds: number };

function tryOnce(target: FuzzTarget, input: Uint8Array): Outcome {
  const start = performance.now();
  try {
    return { word: target.run(input), milliseconds: performance.now() - start };
  } catch (error) {
    return { fault: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}

/** Slow every time, in processor time: that the machine is busy is no fault of the target. */
function stalls(target: FuzzTarget, input: Uint8Array): boolean {
  for (let attempt = 0; attempt < 5; attempt++) {
    const before = process.cpuUsage();
    const outcome = tryOnce(target, input);
    const { user, system } = process.cpuUsage(before);
    if ('fault' in outcome || (user + system) / 1000 <= STALL_MS) return false;
  }
  return true;
}
