import { afterChanges, type OnChange } from './after-changes.js';

interface Retirement<Endpoint> {
  /** By path. */
  readonly endpoints: Map<string, Endpoint>;
  readonly isThere: (path: string) => boolean;
  readonly close: (endpoint: Endpoint) => Promise<void>;
  /** When it is looked for those that are no more. */
  readonly onChange: readonly OnChange[];
}

/**
 * Ends what clients keep open where there is no connector or toolset any more, and forgets the place. Answers how to stop;
 * that waits for those that are just being ended.
 */
export function retireEndpoints<Endpoint>(retirement: Retirement<Endpoint>): () => Promise<void> {
  const { endpoints, isThere, close, onChange } = retirement;
  const ending = new Set<Promise<void>>();
  const stop = afterChanges(onChange, () => {
    for (const [path, endpoint] of endpoints) {
      if (isThere(path)) continue;
      endpoints.delete(path);
      const ended = close(endpoint).finally(() => ending.delete(ended));
      ending.add(ended);
    }
  });
  return async () => {
    stop();
    await Promise.all(ending);
  };
}
