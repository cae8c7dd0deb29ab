import { networkInterfaces } from 'node:os';
import { isLoopback, LOOPBACK_NAMES } from '../kernel/index.js';
import type { GuardOptions } from '../mcp/server/index.js';
import type { Config } from './config/config.js';

/** Under which names the hub may be addressed, and from which pages. Loopback names are always among them. */
export function guardOptions(
  { server }: Pick<Config, 'server'>,
  interfaces: typeof networkInterfaces = networkInterfaces,
): GuardOptions {
  const publicUrl = server.publicUrl === undefined ? undefined : new URL(server.publicUrl);
  const own = isLoopback(server.host) ? [] : ownAddresses(interfaces);
  return {
    hosts: [
      ...LOOPBACK_NAMES,
      ...server.allowedHosts,
      ...own,
      ...(publicUrl === undefined ? [] : [publicUrl.host]),
    ],
    origins: [...server.allowedOrigins, ...(publicUrl === undefined ? [] : [publicUrl.origin])],
  };
}

/** Addresses, not names: a page of a stranger can rebind a name to us, never a number. */
function ownAddresses(interfaces: typeof networkInterfaces): string[] {
  try {
    return Object.values(interfaces())
      .flatMap((addresses) => addresses ?? [])
      .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address));
  } catch {
    // A sandbox may keep it to itself; then the hub goes by its names alone.
    return [];
  }
}
