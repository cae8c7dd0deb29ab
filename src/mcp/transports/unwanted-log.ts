/** As servers begin a log message. */
const MESSAGES = ['{"jsonrpc":"2.0","method":', '{"method":'].map(
  (words) => `${words}"notifications/message",`,
);
/** The same with what comes before it in an event. */
const EVENTS = ['event: message\ndata: ', 'data: '].flatMap((line) =>
  MESSAGES.map((message) => line + message),
);
const LF = 0x0a;

/**
 * Where an event that begins at `at` ends, if it is whole, a log message and no longer than this; else -1. For those that nobody
 * wants to hear: whether the rest of it can be read does not matter then.
 */
export function endOfLogEvent(text: string, at: number, maxLength: number): number {
  for (const beginning of EVENTS) {
    if (!text.startsWith(beginning, at)) continue;
    const end = text.indexOf('\n', at + beginning.length);
    return end !== -1 && text.charCodeAt(end + 1) === LF && end - at <= maxLength ? end + 2 : -1;
  }
  return -1;
}

/** Whether this is a log message, by its first characters. */
export function beginsLogMessage(text: string): boolean {
  return MESSAGES.some((message) => text.startsWith(message));
}
