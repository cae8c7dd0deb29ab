export type MaybePromise<T> = T | Promise<T>;

/** Goes on at once when the value is there, and after it otherwise: a port kept in memory costs no turn of the event loop. */
export function whenReady<T>(
  value: MaybePromise<T>,
  next: (value: T) => void,
  failed: (error: unknown) => void,
): void {
  if (value instanceof Promise) value.then(next).catch(failed);
  else next(value);
}
