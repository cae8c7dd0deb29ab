import { HubError } from '../kernel/index.js';
import { isObject, type JsonObject } from '../mcp/jsonrpc/index.js';
import type { InputRequests } from '../mcp/model/index.js';
import type { Upstream, UpstreamOptions } from '../upstreams/index.js';

/**
 * What an upstream refused because somebody has to visit pages first, as questions; undefined for every other failure.
 * The upstream has not looked at the call, so it may be made again once they were visited.
 */
export function urlQuestions(error: unknown): InputRequests | undefined {
  const pages = error instanceof HubError ? error.details?.['elicitations'] : undefined;
  if (!Array.isArray(pages)) return undefined;
  const questions = pages.filter(isPage).map(({ message, url }, index) => {
    const params = { mode: 'url', message, url };
    return [`page-${index + 1}`, { method: 'elicitation/create', params }] as const;
  });
  return questions.length === 0 ? undefined : Object.fromEntries(questions);
}

function isPage(value: unknown): value is JsonObject & { readonly message: string; readonly url: string } {
  return isObject(value) && typeof value['url'] === 'string' && typeof value['message'] === 'string';
}

/** The names of the pages that an upstream refused a call for. */
export function pageIdsOf(error: unknown): readonly string[] {
  const pages = error instanceof HubError ? error.details?.['elicitations'] : undefined;
  return Array.isArray(pages) ? idsOf(pages) : [];
}

/** Passes on that pages were visited, to the one who was sent to them. */
export function hearOfVisits(
  upstream: Pick<Upstream, 'onVisited'>,
  onVisited: UpstreamOptions['onVisited'],
  pages: readonly unknown[],
): void {
  if (onVisited === undefined) return;
  for (const id of idsOf(pages)) upstream.onVisited(id, () => onVisited(id));
}

/** Whoever was refused and comes again once the pages were visited wants to hear of that. */
export function hearOfRefusal(
  upstream: Pick<Upstream, 'onVisited'>,
  { onVisited }: Pick<UpstreamOptions, 'onVisited'>,
  error: unknown,
): void {
  const pages = onVisited === undefined ? [] : pageIdsOf(error);
  hearOfVisits(
    upstream,
    onVisited,
    pages.map((elicitationId) => ({ elicitationId })),
  );
}

/** Whether one of these pages was visited before the time was over. */
export function visitedInTime(
  upstream: Pick<Upstream, 'onVisited'>,
  ids: readonly string[],
  timeMs: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (ids.length === 0) return Promise.resolve(false);
  return new Promise((resolve) => {
    const finish = (visited: boolean): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
      for (const stop of stops) stop();
      resolve(visited);
    };
    const giveUp = (): void => finish(false);
    const timer = setTimeout(giveUp, timeMs);
    signal?.addEventListener('abort', giveUp, { once: true });
    const stops: (() => void)[] = [];
    for (const id of ids) stops.push(upstream.onVisited(id, () => finish(true)));
  });
}

function idsOf(pages: readonly unknown[]): readonly string[] {
  return pages.flatMap((page) => {
    const id = isObject(page) ? page['elicitationId'] : undefined;
    return typeof id === 'string' ? [id] : [];
  });
}
