const GROUPS = 8;
const GROUPS_OF_NETWORK = 4;

/** Who has one IPv6 address has its whole network, so that is what is counted. The address is that of a socket. */
export function networkOf(address: string): string {
  const bare = address.replace(/^::ffff:(?=[\d.]+$)/i, '').replace(/%.*$/, '');
  if (!bare.includes(':')) return bare === '' ? 'unknown' : bare;
  const [before = '', after = ''] = bare.split('::');
  const groups = [before, after].map((part) => (part === '' ? [] : part.split(':')));
  const missing = Math.max(0, GROUPS - groups.flat().length);
  const whole = [...(groups[0] ?? []), ...Array.from({ length: missing }, () => '0'), ...(groups[1] ?? [])];
  return `${whole.slice(0, GROUPS_OF_NETWORK).join(':')}::/64`;
}
