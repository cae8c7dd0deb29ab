import type { Writable } from 'node:stream';

/** What upstreams of the isolation measure pour on the hub. */

export const SLOW_MS = 1_000;
const NOTICES = 500;
export const NOTICE =
  '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}';

/** So many log messages, each written like this. */
export function withNotices(write: (text: string) => string): string {
  return write(NOTICE).repeat(NOTICES);
}

/** As fast as it is taken, for as long as somebody takes it. */
export function endlessly(output: Writable, text: string): void {
  const pour = (): void => {
    while (!output.destroyed && output.write(text));
  };
  output.on('drain', pour);
  output.on('error', () => {});
  pour();
}
