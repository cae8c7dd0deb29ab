import { HubError } from '../../kernel/index.js';

interface Versioned {
  readonly version: number;
  readonly updatedAt: number;
}

/** The time is part of it because versions begin anew when something is removed and made again. */
export function tagOf({ version, updatedAt }: Versioned): string {
  return `"${version}-${updatedAt.toString(36)}"`;
}

/**
 * The version a change must find, from `If-Match` and what is there now (RFC 9110, section 13.1.1). Undefined where
 * anything will do. Throws `precondition_failed` if it is another already.
 */
export function expectedVersion(
  ifMatch: string | undefined,
  current: Versioned | undefined,
): number | undefined {
  if (ifMatch === undefined) return undefined;
  const wanted = ifMatch.split(',').map((tag) => tag.trim());
  if (current === undefined)
    throw new HubError('precondition_failed', 'there is nothing yet that could match');
  if (ifMatch.trim() === '*') return undefined;
  if (!wanted.includes(tagOf(current)))
    throw new HubError('precondition_failed', 'it was changed meanwhile: read it again');
  return current.version;
}
