import type { LongAnswer } from './prepared-result.js';

/** Where the messages of one request go. */
export interface Reply {
  /** Whether messages can go before the answer. */
  readonly carriesMessages: boolean;
  /** Sends a message before the answer. False when it was dropped. `droppable`: better dropped than queued for a slow reader. */
  push(text: string, droppable: boolean): boolean;
  /** Called once. The status counts unless something was sent before. False when it could not be delivered. */
  answer(text: string, status: number, retryAfterMs?: number): boolean;
  /** The same with status 200 for an answer that need not be put together first, where that is possible. */
  answerLong?(answer: LongAnswer): boolean;
  /** There will be no answer: the client cancelled. Instead of `answer`. */
  drop(): void;
}
