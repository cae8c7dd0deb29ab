import { createHash, timingSafeEqual } from 'node:crypto';
import { html } from 'hono/html';
import type { BrowserSession, BrowserSessions } from '../../agents/index.js';
import { HubError } from '../../kernel/index.js';
import type { PageBody } from './page.js';

/** What stands between a browser and what only signed-in people may have. */
export interface BrowserGate {
  /** Who signed in with the browser that sent this. */
  find(request: Request): Promise<BrowserSession | undefined>;
  /** The cookie's value; it proves nothing before it was found. */
  cookieOf(request: Request): string | undefined;
  /** Where to send somebody who must sign in first; `next` is a path of ours to come back to. */
  signInUrl(next: string): string;
  /** The value of a `Set-Cookie` header. */
  setCookie(cookie: string): string;
  clearCookie(): string;
  /** For forms: a hidden field. */
  csrfField(session: BrowserSession): PageBody;
  /** Whether the form was made for this session. */
  checkCsrf(session: BrowserSession, form: URLSearchParams): boolean;
  /** Throws `forbidden` unless a page of ours sent it. For every write, before anything is looked at. */
  requireSameOrigin(request: Request): void;
}

export interface BrowserGateOptions {
  readonly sessions: Pick<BrowserSessions, 'find'>;
  /** Whether browsers reach us by https. Asked each time, because the address may be known only later. */
  readonly secure: () => boolean;
  /** Our own origins, besides the one a request was addressed to. */
  readonly origins?: () => readonly string[];
}

export const CSRF_FIELD = 'csrf';

/** Browsers keep a cookie of this name to one host, one path and https (RFC 6265bis, section 4.1.3.2). */
const SECURE_NAME = '__Host-crosspoint';
/** Without https, which is for loopback addresses, browsers would not take the other one. */
const PLAIN_NAME = 'crosspoint';

/**
 * `SameSite=Lax`, not `Strict`: an authorization server sends people back to us with a navigation that begins at another
 * site, and so does a link in a chat that starts an account connection. Under `Strict` they would come without the
 * session that began it. `Lax` still leaves the cookie out of forms and fetches of other sites, and in any case no `GET`
 * changes anything and every write is checked for its origin and its token.
 */
const ATTRIBUTES = 'Path=/; HttpOnly; SameSite=Lax';

export function createBrowserGate({ sessions, secure, origins = () => [] }: BrowserGateOptions): BrowserGate {
  const nameNow = (): string => (secure() ? SECURE_NAME : PLAIN_NAME);
  const attributesNow = (): string => (secure() ? `${ATTRIBUTES}; Secure` : ATTRIBUTES);
  const cookieOf = (request: Request): string | undefined => readCookie(request.headers, nameNow());
  return {
    async find(request) {
      const cookie = cookieOf(request);
      return cookie === undefined ? undefined : sessions.find(cookie);
    },
    cookieOf,
    signInUrl: (next) => `/sign-in?next=${encodeURIComponent(next)}`,
    // No `Max-Age`: it is gone with the browser, and the hub keeps the time.
    setCookie: (cookie) => `${nameNow()}=${cookie}; ${attributesNow()}`,
    clearCookie: () => `${nameNow()}=; ${attributesNow()}; Max-Age=0`,
    csrfField: ({ csrf }) => html`<input type="hidden" name="${CSRF_FIELD}" value="${csrf}" />`,
    checkCsrf: ({ csrf }, form) => isSameText(form.get(CSRF_FIELD) ?? '', csrf),
    requireSameOrigin(request) {
      const own = `${secure() ? 'https' : 'http'}://${request.headers.get('host') ?? new URL(request.url).host}`;
      if (!isSameOrigin(request.headers, [own, ...origins()]))
        throw new HubError('forbidden', 'this must come from a page of this hub');
    },
  };
}

/**
 * Browsers tell with every write where it began: by `Origin`, and newer ones by `Sec-Fetch-Site`, which no page can set.
 * Whatever tells neither is no browser, and has no business with a browser's session.
 */
function isSameOrigin(headers: Headers, origins: readonly string[]): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin') return false;
  const origin = headers.get('origin');
  return origin === null ? site === 'same-origin' : origins.includes(origin);
}

/** In a time that does not tell how much of it was right. */
export function isSameText(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** The value of one cookie; undefined also where there are two, because nobody could tell which is ours. */
export function readCookie(headers: Headers, name: string): string | undefined {
  const values = (headers.get('cookie') ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 && values[0] !== '' ? values[0] : undefined;
}
