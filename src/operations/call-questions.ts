import type { CallAnswer } from '../contract/index.js';
import {
  HubError,
  randomToken,
  type CallId,
  type Clock,
  type Feed,
  type TicketStore,
} from '../kernel/index.js';
import { parseJson, stringifyJson } from '../mcp/jsonrpc/index.js';
import type { Admin } from './admin.js';

export interface CallQuestionsDependencies {
  readonly tickets: Pick<TicketStore, 'put' | 'find' | 'take' | 'remove'>;
  readonly feed: Feed;
  readonly clock: Clock;
  /** How long somebody has to answer. */
  readonly lifetimeMs?: number;
  /** Questions that may be open at a time. */
  readonly most?: number;
}

export interface CallQuestion {
  readonly by: Admin;
  readonly callId: CallId;
  /** Withdraws it. */
  readonly signal: AbortSignal;
  /** Told when it can be answered. */
  readonly onAsked: (asked: { readonly id: string; readonly expiresAt: number }) => void;
}

export type QuestionEnd =
  | { readonly reason: 'answered'; readonly answer: CallAnswer }
  | { readonly reason: 'expired' | 'withdrawn' };

/** Questions of calls that an admin makes. The answer is a request of its own, whichever process of the hub it reaches. */
export interface CallQuestions {
  ask(question: CallQuestion): Promise<QuestionEnd>;
  /** Throws `not_found` unless it is open, of this call, and for this admin in this very browser. Counts once. */
  answer(given: {
    readonly by: Admin;
    readonly callId: string;
    readonly question: string;
    readonly answer: CallAnswer;
  }): Promise<void>;
}

const QUESTION = 'call-question';
const ANSWER = 'call-answer';
const TOPIC = 'call-answers';
const LIFETIME_MS = 5 * 60_000;
/** An answer is looked for at once; one that nobody looks for is soon forgotten. */
const ANSWER_MS = 60_000;
const MOST = 200;
const ID = /^[\w-]{1,64}$/;

export function createCallQuestions({
  tickets,
  feed,
  clock,
  lifetimeMs = LIFETIME_MS,
  most = MOST,
}: CallQuestionsDependencies): CallQuestions {
  let open = 0;

  async function ask({ by, callId, signal, onAsked }: CallQuestion): Promise<QuestionEnd> {
    const id = randomToken(16);
    const expiresAt = clock.now() + lifetimeMs;
    const value = JSON.stringify([callId, ownerOf(by)]);
    await tickets.put({ kind: QUESTION, name: id, value, expiresAt });
    const ended = waitForEnd({ feed, callId, signal, lifetimeMs }, () => tickets.take(ANSWER, id));
    onAsked({ id, expiresAt });
    try {
      return await ended;
    } finally {
      await tickets.remove(QUESTION, id);
    }
  }

  return {
    async ask(question) {
      if (open >= most) throw new HubError('overloaded', 'too many questions wait for answers');
      open++;
      try {
        return await ask(question);
      } finally {
        open--;
      }
    },
    async answer({ by, callId, question, answer }) {
      const found = ID.test(question) ? await tickets.find(QUESTION, question) : undefined;
      const mine = found?.value === JSON.stringify([callId, ownerOf(by)]);
      if (!mine || (await tickets.take(QUESTION, question)) === undefined)
        throw new HubError('not_found', 'there is no such question any more');
      const value = stringifyJson(answer);
      await tickets.put({ kind: ANSWER, name: question, value, expiresAt: clock.now() + ANSWER_MS });
      feed.publish(TOPIC, callId);
    },
  };
}

/** A browser that signed in answers for itself only; whoever shows a token is known by that alone. */
function ownerOf({ id, signedIn }: Admin): string {
  return `${id}\n${signedIn?.session.id ?? ''}`;
}

interface Waiting {
  readonly feed: Feed;
  readonly callId: CallId;
  readonly signal: AbortSignal;
  readonly lifetimeMs: number;
}

function waitForEnd(
  { feed, callId, signal, lifetimeMs }: Waiting,
  look: () => Promise<{ readonly value: string } | undefined>,
): Promise<QuestionEnd> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', withdraw);
      unsubscribe();
      settle();
    };
    const withdraw = (): void => end(() => resolve({ reason: 'withdrawn' }));
    const timer = setTimeout(() => end(() => resolve({ reason: 'expired' })), lifetimeMs);
    const unsubscribe = feed.subscribe(TOPIC, (message) => {
      // Messages may have been lost where there is none.
      if (message !== undefined && message !== callId) return;
      look().then(
        (found) => {
          if (found === undefined) return;
          // Checked when it was given; it was sealed since.
          const answer = parseJson(found.value) as unknown as CallAnswer;
          end(() => resolve({ reason: 'answered', answer }));
        },
        (cause: unknown) =>
          end(() => reject(new HubError('storage_unavailable', 'the answer cannot be read', { cause }))),
      );
    });
    signal.addEventListener('abort', withdraw, { once: true });
    if (signal.aborted) withdraw();
  });
}
