import { ClientError } from './client-error.js';
import type { Clock } from './clock.js';

/** Runs something that takes a signal, for a limited time. Rejects in time even if that does not heed the signal. */
export async function withLimit<Value>(
  clock: Clock,
  limitMs: number,
  what: string,
  outer: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const controller = new AbortController();
  let release: (() => void) | undefined;
  const given = new Promise<never>((_, reject) => {
    const giveUp = (error: ClientError): void => {
      reject(error);
      controller.abort(error);
    };
    const onAbort = (): void => {
      giveUp(new ClientError('aborted', `${what} was aborted`));
    };
    const cancel = clock.after(limitMs, () => {
      giveUp(new ClientError('timeout', `${what} took too long`));
    });
    outer?.addEventListener('abort', onAbort);
    release = () => {
      cancel();
      outer?.removeEventListener('abort', onAbort);
    };
    if (outer?.aborted === true) onAbort();
  });
  try {
    return await Promise.race([given, run(controller.signal)]);
  } finally {
    release?.();
  }
}
