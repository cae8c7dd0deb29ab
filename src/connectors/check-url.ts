import ipaddr from 'ipaddr.js';
import { invalidField, type HubError } from '../kernel/index.js';

/** Refuses addresses that can never be an upstream's. What a name resolves to is checked again when it is dialled. */
export function checkUrl(text: string, mayBePrivate: boolean, field = 'url'): URL {
  const invalid = (problem: string): HubError => invalidField(field, problem);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw invalid('is not a URL');
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw invalid('must begin with https:// or http://');
  if (url.username !== '' || url.password !== '') throw invalid('must not contain a user name or password');
  if (url.hash !== '') throw invalid('must not contain a fragment');
  if (mayBePrivate) return url;
  if (isPrivateHost(url.hostname))
    throw invalid('points into a private network; an owner may allow that with allowPrivateNetwork');
  if (url.protocol === 'http:') throw invalid('must be https outside private networks');
  return url;
}

/** Of a name or address literal, in whatever spelling the URL parser has already normalised. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return ipaddr.isValid(host) && isPrivateAddress(host);
}

/** Looks like any other, but tells machines of Azure about themselves and is reached from nowhere else. */
const AZURE_HOST = '168.63.129.16';

/** Anything but a global unicast address: loopback, private, link-local, metadata, mapped, compatible and translated forms. */
export function isPrivateAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return true;
  const parsed = ipaddr.process(address);
  if (parsed.toString() === AZURE_HOST) return true;
  return parsed.range() !== 'unicast' || (parsed instanceof ipaddr.IPv6 && !isGlobal(parsed));
}

/** Addresses are only handed out from 2000::/3; elsewhere lie old spellings of IPv4 addresses and what is not assigned. */
function isGlobal({ parts }: ipaddr.IPv6): boolean {
  return ((parts[0] ?? 0) & 0xe0_00) === 0x20_00;
}
