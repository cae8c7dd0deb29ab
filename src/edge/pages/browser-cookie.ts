import { createHash, timingSafeEqual } from 'node:crypto';
import { html } from 'hono/html';
import type { BrowserSession, BrowserSessions } from '../../agents/index.js';
import { HubError } from '../../kernel/index.js';
import { createHubCookie, type HubCookie } from './hub-cookie.js';
import type { PageBody } from './page.js';

/** What stands between a browser and what only signed-in people may have. */
export interface BrowserGate {
  /** Who signed in with the browser that sent this. `isUse` (default): the browser is in use now. */
  find(request: Request, isUse?: boolean): Promise<BrowserSession | undefined>;
  /** The cookie's value; it proves nothing before it was found. */
  cookieOf(request: Request): string | undefined;
  /** Where to send somebody who must sign in first; `next` is a path of ours to come back to. */
  signInUrl(next: string): string;
  /** The value of a `Set-Cookie` header. */
  setCookie(cookie: string): string;
  clearCookie(): string;
  /** Of a browser that is on its way to the identity provider and back. */
  readonly flowCookie: HubCookie;
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

const CSRF_FIELD = 'csrf';
const FLOW_SECONDS = 600;

export function createBrowserGate({ sessions, secure, origins = () => [] }: BrowserGateOptions): BrowserGate {
  // Without an age: it is gone with the browser, and the hub keeps the time.
  const cookie = createHubCookie({ name: 'crosspoint', secure });
  return {
    async find(request, isUse) {
      const value = cookie.read(request);
      return value === undefined ? undefined : sessions.find(value, isUse);
    },
    cookieOf: (request) => cookie.read(request),
    signInUrl: (next) => `/sign-in?next=${encodeURIComponent(next)}`,
    setCookie: (value) => cookie.set(value),
    clearCookie: () => cookie.clear(),
    flowCookie: createHubCookie({ name: 'crosspoint-sign-in', secure, maxAgeSeconds: FLOW_SECONDS }),
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
