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

/**
 * Asks again who the clients are that keep streams open, whenever something about agents changed: those whose key or
 * agent is gone hear nothing more, and what is different about the others counts for what they are told. Answers how to
 * stop that.
 */
export function reviewListeners(review: ListenerReview): () => void {
  return afterChanges([review.onAgentsChange], () => {
    for (const [path, { server }] of review.endpoints) void server.reviewListeners(mayListen(path, review));
  });
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
