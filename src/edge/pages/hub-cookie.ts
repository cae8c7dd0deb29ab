/** A cookie of ours. */
export interface HubCookie {
  /** The value of a `Set-Cookie` header. */
  set(value: string): string;
  clear(): string;
  read(request: Request): string | undefined;
}

export interface HubCookieOptions {
  readonly name: string;
  /** Whether browsers reach us by https. */
  readonly secure: () => boolean;
  readonly maxAgeSeconds?: number;
}

/** Browsers keep a cookie of such a name to one host, one path and https (RFC 6265bis, section 4.1.3.2). */
const SECURE_PREFIX = '__Host-';

/**
 * `SameSite=Lax`, not `Strict`: an authorization server sends people back to us with a navigation that begins at another
 * site, and so does a link in a chat that starts an account connection. Under `Strict` they would come without the
 * session that began it. `Lax` still leaves the cookie out of forms and fetches of other sites, and in any case no `GET`
 * signs in or changes anything, and every write is checked for its origin and its token.
 */
const ATTRIBUTES = 'Path=/; HttpOnly; SameSite=Lax';

export function createHubCookie({ name, secure, maxAgeSeconds }: HubCookieOptions): HubCookie {
  // Without https, which is for loopback addresses, not every browser would take the prefixed one.
  const nameNow = (): string => (secure() ? `${SECURE_PREFIX}${name}` : name);
  const attributes = (age: number | undefined): string =>
    `${ATTRIBUTES}${secure() ? '; Secure' : ''}${age === undefined ? '' : `; Max-Age=${age}`}`;
  return {
    set: (value) => `${nameNow()}=${value}; ${attributes(maxAgeSeconds)}`,
    clear: () => `${nameNow()}=; ${attributes(0)}`,
    read: (request) => readCookie(request.headers.get('cookie') ?? '', nameNow()),
  };
}

/** The value of one cookie; undefined also where there are two, because nobody could tell which is ours. */
function readCookie(header: string, name: string): string | undefined {
  const values = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 && values[0] !== '' ? values[0] : undefined;
}
