import { requireAddress, coversServer } from './address.js';
import { AuthFailure, refused } from './auth-failure.js';
import { getDocument, listMember, textMember, type FetchContext } from './json-answer.js';

/** Of RFC 9728, what we use. */
export interface ResourceMetadata {
  /** Exactly as published: it is compared and sent as text. */
  readonly resource: string;
  readonly authorizationServers: readonly string[];
  readonly scopes: readonly string[] | undefined;
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const WHAT = 'protected resource metadata';

/**
 * Where the challenge says, then at the well-known address for the server's path, then at the root. Undefined where
 * there is none: the server is from before the document was invented.
 */
export async function discoverResource(
  serverUrl: URL,
  announced: string | undefined,
  context: FetchContext,
): Promise<ResourceMetadata | undefined> {
  let unavailable: AuthFailure | undefined;
  for (const url of candidates(serverUrl, announced)) {
    try {
      const document = await getDocument(url, WHAT, context);
      if (document.state === 'found') return toMetadata(document.members, serverUrl);
    } catch (error) {
      // An error of the server may mean that it has nothing there; a failed connection concerns all addresses.
      if (!(error instanceof AuthFailure) || error.kind !== 'unavailable' || error.cause !== undefined)
        throw error;
      unavailable ??= error;
    }
  }
  if (unavailable !== undefined) throw unavailable;
  if (announced !== undefined) throw refused(`the server announces ${WHAT} that it does not have`);
  return undefined;
}

function candidates({ origin, pathname }: URL, announced: string | undefined): readonly string[] {
  const path = pathname.replace(/\/$/, '');
  const addresses = [`${origin}${WELL_KNOWN}${path}`, `${origin}${WELL_KNOWN}`];
  if (announced !== undefined) addresses.unshift(requireAddress(announced, WHAT).href);
  return [...new Set(addresses)];
}

function toMetadata(members: Readonly<Record<string, unknown>>, serverUrl: URL): ResourceMetadata {
  const resource = textMember(members, 'resource');
  if (resource === undefined) throw refused(`the ${WHAT} does not name a resource`);
  if (!coversServer(resource, serverUrl))
    throw refused(`the ${WHAT} speaks of another resource than the connector's address`);
  const authorizationServers = listMember(members, 'authorization_servers') ?? [];
  if (authorizationServers.length === 0) throw refused(`the ${WHAT} names no authorization server`);
  return { resource, authorizationServers, scopes: listMember(members, 'scopes_supported') };
}
