import type { MayListen, McpServer } from '../mcp/server/index.js';
import { afterChanges } from './after-changes.js';
import type { CallerIdentification } from './identify-caller.js';
import type { Principals } from './principals.js';

interface ListenerReview {
  readonly callers: Pick<CallerIdentification, 'identify'>;
  readonly principals: Principals;
  /** By path. */
  readonly endpoints: ReadonlyMap<string, { readonly server: Pick<McpServer, 'reviewListeners'> }>;
  readonly onAgentsChange: (listener: () => void) => () => void;
}

/** Keys and tokens end by themselves too, and nobody tells of that. */
const LOOK_MS = 60_000;

/**
 * Asks again who the clients are that keep streams open, whenever something about agents changed, and now and then: those
 * whose key or agent is gone hear nothing more, and what is different about the others counts for what they are told.
 * Answers how to stop that.
 */
export function reviewListeners(review: ListenerReview): () => void {
  const look = (): void => {
    for (const [path, { server }] of review.endpoints) void server.reviewListeners(mayListen(path, review));
  };
  const timer = setInterval(look, LOOK_MS).unref();
  const stop = afterChanges([review.onAgentsChange], look);
  return () => {
    clearInterval(timer);
    stop();
  };
}

function mayListen(path: string, { callers, principals }: ListenerReview): MayListen {
  return async (principal, headers) => {
    try {
      const known = principals.remember(await callers.identify(headers, path));
      // That it cannot be found out at the moment says nothing about anybody.
      return typeof known === 'object' ? known.status === 503 : known === principal;
    } catch {
      return true;
    }
  };
}
