import { refused } from './auth-failure.js';

const MAX_LENGTH = 2_048;

/**
 * An address a server told us, to fetch from or to send a person to. Only http and https: nothing that a browser would
 * run, and nothing that could hide where it leads. Whether it may be reached is for the fetch to decide.
 */
export function requireAddress(value: unknown, what: string): URL {
  const url =
    typeof value === 'string' && value.length <= MAX_LENGTH && URL.canParse(value)
      ? new URL(value)
      : undefined;
  if (url === undefined) throw refused(`the address of the ${what} is missing or is not a URL`);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw refused(`the address of the ${what} is neither https nor http`);
  if (url.username !== '' || url.password !== '')
    throw refused(`the address of the ${what} contains a user name or password`);
  if (url.hash !== '') throw refused(`the address of the ${what} contains a fragment`);
  return url;
}

/** How a server is called as a resource where it does not say: without fragment, without a slash that means nothing. */
export function toResource(serverUrl: URL): string {
  const { origin, pathname, search } = serverUrl;
  return pathname === '/' && search === '' ? origin : `${origin}${pathname}${search}`;
}

/** Whether metadata for `resource` speaks of this server: same origin, and a path that begins with the resource's. */
export function coversServer(resource: string, serverUrl: URL): boolean {
  if (!URL.canParse(resource)) return false;
  const { origin, pathname, search, hash, username, password } = new URL(resource);
  if (hash !== '' || username !== '' || password !== '' || origin !== serverUrl.origin) return false;
  if (search !== '' && search !== serverUrl.search) return false;
  const folder = pathname.endsWith('/') ? pathname : `${pathname}/`;
  return `${serverUrl.pathname}/`.startsWith(folder);
}
