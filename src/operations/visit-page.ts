import type { JsonObject } from '../mcp/jsonrpc/index.js';
import { supportsElicitation, type InputRequest } from '../mcp/model/index.js';
import type { UpstreamOptions } from '../upstreams/index.js';
import { OWN_KEYS } from './rounds.js';
import { Suspended, type Rounds } from './suspended.js';

/** Whoever is behind a call, and the way to reach them. */
export interface ReachableCaller {
  readonly options: Pick<UpstreamOptions, 'signal' | 'ask' | 'capabilities'>;
  readonly rounds?: Rounds | undefined;
}

/** `key` names the question: one that was answered before is not asked again. */
export interface PageToVisit {
  readonly key: string;
  readonly url: string;
  readonly message: string;
}

/** Sends them to a page; false when they say no, undefined when they cannot be sent. What happens there is between them and the page. */
export async function visitPage(
  { options, rounds }: ReachableCaller,
  { key, url, message }: PageToVisit,
): Promise<boolean | undefined> {
  const question: InputRequest = { method: 'elicitation/create', params: { mode: 'url', message, url } };
  if (rounds !== undefined && supportsElicitation(rounds.asks.capabilities, 'url')) {
    const answer: JsonObject | undefined = rounds.responses[`${OWN_KEYS}${key}`];
    if (answer !== undefined) return answer['action'] === 'accept';
    const sentAway: unknown = new Suspended({ [`${OWN_KEYS}${key}`]: question }, {});
    throw sentAway;
  }
  if (options.ask === undefined || !supportsElicitation(options.capabilities ?? {}, 'url')) return undefined;
  const answer = await options.ask(question, options.signal ?? new AbortController().signal);
  return answer?.['action'] === 'accept';
}
