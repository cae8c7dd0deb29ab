import { lookup } from 'node:dns/promises';
import { isPrivateAddress, isPrivateHost } from '../connectors/index.js';

/** Whether an address leads into a private network, as its name resolves here and now. Nothing is decided by a name that does not resolve. */
export async function leadsIntoPrivateNetwork(url: string): Promise<boolean> {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  if (isPrivateHost(hostname)) return true;
  try {
    const addresses = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true });
    return addresses.some(({ address }) => isPrivateAddress(address));
  } catch {
    return false;
  }
}
