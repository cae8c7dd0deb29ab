import { networkOf } from '../edge/index.js';
import { isLoopback } from '../kernel/index.js';

/** Who shares a number of connections; undefined for this machine, where a proxy for many may run. */
export function connectionPeer(address: string): string | undefined {
  const network = networkOf(address);
  return isLoopback(address) || isLoopback(network) ? undefined : network;
}
