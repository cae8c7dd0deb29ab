import { createNetworkTest, toPlainAddress } from '../connectors/index.js';
import { networkOf } from './network-of.js';

/** In which proxies say for whom they ask. */
export const FORWARDED_FOR = 'x-forwarded-for';

/** As whom a request is counted and named: by the address of its connection, and what the header says. */
export type ClientNetworkOf = (
  peer: string | undefined,
  forwardedFor: string | readonly string[] | null | undefined,
) => string;

/** Proxies one behind the other, more than anybody has. */
const MOST_PROXIES = 16;

/** What a header claims counts only where the connection is that of a proxy the operator named. */
export function createClientNetworkOf(trustedProxies: readonly string[]): ClientNetworkOf {
  if (trustedProxies.length === 0) return (peer = '') => networkOf(peer);
  const isProxy = createNetworkTest(trustedProxies);
  return (peer = '', forwardedFor) => {
    if (!isProxy(peer.replace(/%.*$/, ''))) return networkOf(peer);
    return networkOf(findClient(String(forwardedFor ?? ''), isProxy) ?? peer);
  };
}

/**
 * From the right: each proxy adds whom it saw, so the first that is no proxy is as far as anybody can be believed, and
 * what stands before it is never looked at. Where all are proxies, one of them asks for itself.
 */
function findClient(header: string, isProxy: (address: string) => boolean): string | undefined {
  const entries = header.split(',');
  let client: string | undefined;
  for (const entry of entries.slice(-MOST_PROXIES).toReversed()) {
    client = readEntry(entry);
    if (client === undefined || !isProxy(client)) return client;
  }
  return entries.length > MOST_PROXIES ? undefined : client;
}

const BRACKETED = /^\[([\da-f:.]*:[\da-f:.]*)\](?::\d{1,5})?$/i;
const WITH_PORT = /^([\d.]+):\d{1,5}$/;

/** An address with brackets, a port and blanks is shorter. */
const MAX_ENTRY = 128;

function readEntry(entry: string): string | undefined {
  if (entry.length > MAX_ENTRY) return undefined;
  const text = entry.replaceAll(/^[ \t]+|[ \t]+$/g, '');
  return toPlainAddress((BRACKETED.exec(text) ?? WITH_PORT.exec(text))?.[1] ?? text);
}
