import type { Writable } from 'node:stream';

/** What may wait for whoever reads the log. */
const MOST_WAITING_BYTES = 1024 * 1024;

export interface LogSinkOptions {
  readonly stream: Writable;
  readonly mostBytes?: number;
  /** So many lines were left out, and there is room again. */
  readonly onRoom: (leftOut: number) => void;
}

/**
 * Where log lines go. A reader that stops reading must not fill our memory, so what does not fit is left out and counted;
 * one that is gone must not end us. Events are not log lines and never left out.
 */
export function createLogSink({ stream, mostBytes = MOST_WAITING_BYTES, onRoom }: LogSinkOptions) {
  let leftOut = 0;
  const tellRoom = (): void => {
    if (leftOut === 0) return;
    const count = leftOut;
    leftOut = 0;
    onRoom(count);
  };
  stream.on('error', () => {});
  stream.on('drain', tellRoom);
  return (text: string): void => {
    // A line that was too long by itself leaves nothing to wait for.
    if (!stream.writableNeedDrain) tellRoom();
    // Once something was left out, what follows is too, until everything before it was read.
    if (leftOut > 0 || stream.writableLength + text.length > mostBytes) leftOut++;
    else stream.write(text);
  };
}
