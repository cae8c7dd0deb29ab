import { AuthFailure, refused } from './auth-failure.js';

/**
 * The fetch everything here goes through. It never follows a redirect, and bounds addresses, time and size; failing that
 * it rejects.
 */
export interface AuthFetch {
  (
    url: string,
    init: {
      readonly method?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | URLSearchParams;
      readonly redirect?: string;
      readonly signal?: AbortSignal | undefined;
    },
  ): Promise<Response>;
  /** Throws for an address that it would never ask. */
  requirePermitted?(address: URL): void;
}

export interface FetchContext {
  readonly fetch: AuthFetch;
  readonly signal?: AbortSignal | undefined;
}

export type JsonMembers = Readonly<Record<string, unknown>>;

/** What a well-known address answered: `absent` where nothing useful is there. */
export type Document =
  | { readonly state: 'found'; readonly members: JsonMembers }
  | { readonly state: 'absent' };

const ABSENT: Document = { state: 'absent' };

/** Servers answer addresses they do not know with anything from a plain 404 to a page for people. */
export async function getDocument(
  url: string,
  what: string,
  { fetch, signal }: FetchContext,
): Promise<Document> {
  const response = await reach(what, () =>
    fetch(url, { headers: { accept: 'application/json' }, redirect: 'manual', signal }),
  );
  if (response.status === 200) {
    const members = parseMembers(await response.text());
    return members === undefined ? ABSENT : { state: 'found', members };
  }
  await response.body?.cancel();
  if (response.status >= 500 || response.status === 429)
    throw new AuthFailure('unavailable', `the server of the ${what} answers with HTTP ${response.status}`);
  return ABSENT;
}

/** The members of an answer, whatever its status. */
export async function readMembers(response: Response, what: string): Promise<JsonMembers> {
  if (response.status >= 300 && response.status < 400)
    throw refused(`the ${what} answers with a redirect, and redirects are not followed`);
  const members = parseMembers(await response.text());
  if (members !== undefined) return members;
  if (response.status >= 500 || response.status === 429)
    throw new AuthFailure('unavailable', `the ${what} answers with HTTP ${response.status}`);
  throw refused(`the ${what} does not answer with a JSON object (HTTP ${response.status})`);
}

/** A failed fetch says why in its cause. */
export async function reach<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AuthFailure) throw error;
    throw new AuthFailure('unavailable', `the ${what} cannot be reached`, { cause: error });
  }
}

export function textMember(members: JsonMembers, name: string): string | undefined {
  const value = Object.hasOwn(members, name) ? members[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function listMember(members: JsonMembers, name: string): readonly string[] | undefined {
  const value = Object.hasOwn(members, name) ? members[name] : undefined;
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string').slice(0, 256) : undefined;
}

function parseMembers(text: string): JsonMembers | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as JsonMembers)
      : undefined;
  } catch {
    return undefined;
  }
}
