import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Strict: no zones, no shorthands of IPv4, and no zeros in front that some read as octal. */
function parseAddress(text: string): Address | undefined {
  const last = text.slice(text.lastIndexOf(':') + 1);
  const isPlain = ipaddr.IPv4.isValidFourPartDecimal(last);
  if (last === text) return isPlain ? ipaddr.IPv4.parse(text) : undefined;
  if (text.includes('%') || (last.includes('.') && !isPlain) || !ipaddr.IPv6.isValid(text)) return undefined;
  return ipaddr.process(text);
}

/** The one spelling of an address, IPv4 within IPv6 being IPv4. Undefined: it is none. */
export function toPlainAddress(text: string): string | undefined {
  return parseAddress(text)?.toString();
}

const NETWORK = /^([^/]+)(?:\/(0|[1-9]\d{0,2}))?$/;

/** An address, or one with a prefix and nothing behind it. Never all addresses there are. */
function parseNetwork(text: string): [Address, number] | undefined {
  const [, host = '', prefix] = NETWORK.exec(text) ?? [];
  const address = parseAddress(host);
  if (address === undefined) return undefined;
  const written = host.includes(':') ? 128 : 32;
  const most = address.kind() === 'ipv4' ? 32 : 128;
  const bits = (prefix === undefined ? written : Number(prefix)) - (written - most);
  if (bits < 1 || bits > most) return undefined;
  const family = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  const begins = family.networkAddressFromCIDR(`${address.toString()}/${bits}`);
  return begins.toString() === address.toString() ? [address, bits] : undefined;
}

export function isNetwork(text: string): boolean {
  return parseNetwork(text) !== undefined;
}

/** Whether an address lies in one of the networks. What is no network has none in it. */
export function createNetworkTest(networks: readonly string[]): (address: string) => boolean {
  const parsed = networks.map(parseNetwork).filter((network) => network !== undefined);
  return (text) => {
    const address = parseAddress(text);
    return address !== undefined && ipaddr.subnetMatch(address, { named: parsed }, 'other') === 'named';
  };
}
