import type { ChangeNotification, SubscriptionFilter } from '../model/index.js';

/**
 * Told of each change. After an interruption it is told that everything it listens to may have changed. It may not
 * throw; what it throws is reported as a warning.
 */
export type OnChange = (change: ChangeNotification) => void;

/** Open until closed: interruptions are mended behind it. */
export interface ChangeSubscription {
  /** The part of the filter that the server serves now. */
  readonly honoured: SubscriptionFilter;
  /** Why it came to an end by itself: the server refuses it for good. */
  readonly ended: Error | undefined;
  close(): void;
  [Symbol.dispose](): void;
}
