/** Where a person may be sent after signing in: the pages of the console, and of the others only what begins a flow. */
const RETURN_PATHS: readonly RegExp[] = [
  /^\/$/,
  /^\/(?:connectors|tools|agents|policies|events|settings)(?:\/[\w.-]+)*$/,
  /^\/oauth\/[\w./-]+$/,
];
const MAX_LENGTH = 4_096;
/** Only to have something to resolve against; it is never contacted. */
const BASE = 'http://hub.invalid';

/** The path and query of a page of this hub, or `/` for everything else. Judged as browsers would read it. */
export function toReturnPath(next: string | null | undefined): string {
  if (next === null || next === undefined || next.length > MAX_LENGTH) return '/';
  if (!next.startsWith('/') || !URL.canParse(next, BASE)) return '/';
  const { origin, pathname, search, hash } = new URL(next, BASE);
  const isOurs = origin === BASE && hash === '' && !pathname.includes('//');
  return isOurs && RETURN_PATHS.some((allowed) => allowed.test(pathname)) ? pathname + search : '/';
}
