import { HubError, Secret } from '../../kernel/index.js';
import type { Admin, CheckAdminToken } from '../../operations/index.js';
import { isSameText, type BrowserGate } from '../pages/browser-cookie.js';
import { FORWARDED_FOR, type ClientNetworkOf } from '../client-network.js';

/** Finds out which admin sends a request; undefined where it shows nothing that proves one. */
export type AuthenticateAdmin = (
  request: Request,
  /** Of the connection. */
  address: string,
  /** `isUse: false`: it is asked on behalf of nobody, and keeps no browser signed in. */
  options?: { readonly isUse: boolean },
) => Promise<Admin | undefined>;

const BEARER = /^bearer +([\x21-\x7e]{1,1024})$/i;

export function createBearerAuthentication(
  checkAdminToken: CheckAdminToken,
  clientNetworkOf: ClientNetworkOf,
): AuthenticateAdmin {
  return async (request, address) => {
    const token = BEARER.exec(request.headers.get('authorization') ?? '')?.[1];
    if (token === undefined) return undefined;
    return checkAdminToken({ token, address: clientNetworkOf(address, request.headers.get(FORWARDED_FOR)) });
  };
}

/** The header in which a page sends back what the hub told it. A stranger's page cannot, and cannot know it. */
const CSRF_HEADER = 'x-csrf-token';
const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** A browser that an admin signed in with. Throws `forbidden` for what another site's page had it send. */
export function createCookieAuthentication(gate: BrowserGate): AuthenticateAdmin {
  return async (request, _address, { isUse } = { isUse: true }) => {
    const cookie = gate.cookieOf(request);
    const session = await gate.find(request, isUse);
    if (cookie === undefined || session?.principal.kind !== 'admin') return undefined;
    const { id, role } = session.principal;
    if (READS.has(request.method)) requireNotCrossSite(request);
    else {
      gate.requireSameOrigin(request);
      if (!isSameText(request.headers.get(CSRF_HEADER) ?? '', session.csrf))
        throw new HubError('forbidden', `this needs the header ${CSRF_HEADER} with the token from /session`);
    }
    return { id, role, signedIn: { session, cookie: new Secret(cookie) } };
  };
}

/** What other sites may read of us is nothing, even if a browser would send the cookie. */
function requireNotCrossSite(request: Request): void {
  const site = request.headers.get('sec-fetch-site') ?? 'same-origin';
  if (site !== 'same-origin' && site !== 'none')
    throw new HubError('forbidden', 'this must come from a page of this hub');
}

/** Whoever shows a token is judged by it alone; everybody else by the cookie. */
export function createAdminAuthentication(
  byToken: AuthenticateAdmin,
  byCookie: AuthenticateAdmin,
): AuthenticateAdmin {
  return (request, address, options) =>
    (request.headers.has('authorization') ? byToken : byCookie)(request, address, options);
}
