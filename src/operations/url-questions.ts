import { HubError } from '../kernel/index.js';
import { isObject, type JsonObject } from '../mcp/jsonrpc/index.js';
import type { InputRequests } from '../mcp/model/index.js';

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
