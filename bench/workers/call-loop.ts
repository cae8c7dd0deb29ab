import { TEXT } from './call.js';
import { cpuMicros } from './orders.js';

export interface RoundOrder {
  readonly ms: number;
  /** Calls under way at any time. */
  readonly width: number;
}

export interface Round {
  readonly calls: number;
  readonly ms: number;
  readonly cpuMicros: number;
}

interface EchoResult {
  readonly content?: readonly { readonly text?: string }[];
}

/** Calls until time is up; what is under way then is waited for and counted. */
export async function callInLoop(call: () => Promise<object>, { ms, width }: RoundOrder): Promise<Round> {
  let calls = 0;
  const cpuBefore = cpuMicros();
  const begin = performance.now();
  const end = begin + ms;
  const caller = async (): Promise<void> => {
    while (performance.now() < end) {
      const { content } = (await call()) as EchoResult;
      if (content?.[0]?.text !== TEXT) throw new Error('the answer is not the echo of the call');
      calls++;
    }
  };
  await Promise.all(Array.from({ length: width }, caller));
  return { calls, ms: performance.now() - begin, cpuMicros: cpuMicros() - cpuBefore };
}
