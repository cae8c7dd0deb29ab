import type { ReturnTarget } from '../../operations/index.js';
import { toReturnPath } from '../pages/return-path.js';

const MAX_LENGTH = 512;

/**
 * Where to go after a sign-in. A program that began it may be waiting on its own machine; everybody else goes back to a
 * page of ours, and to the first one if it is not.
 */
export function toReturnTarget(returnTo: string | undefined, isBrowser: boolean): ReturnTarget {
  if (returnTo === undefined) return { kind: 'page', path: undefined };
  if (!isBrowser && isLoopback(returnTo)) return { kind: 'loopback', url: returnTo };
  return { kind: 'page', path: toReturnPath(returnTo) };
}

/** By number, because a name may lead elsewhere (RFC 8252, section 8.3), and with a port, because programs have no fixed one. */
function isLoopback(text: string): boolean {
  if (text.length > MAX_LENGTH || !URL.canParse(text)) return false;
  const { protocol, hostname, port, username, password, hash } = new URL(text);
  const isOwnMachine = hostname === '127.0.0.1' || hostname === '[::1]';
  return protocol === 'http:' && isOwnMachine && port !== '' && username + password + hash === '';
}
