import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import type { Dispatcher } from 'undici';
import { isPrivateAddress, isPrivateHost } from '../connectors/index.js';
import { openPlainLines, TransportError, type HttpLines } from '../mcp/transports/index.js';
import { undici } from './undici.js';

export interface EgressRule {
  /** One origin that may lie in a private network: the connector's own address, where the operator vouches for it. */
  readonly privateOrigin?: URL | undefined;
  /** Decides about others, by name without brackets and port. */
  readonly mayBePrivate?: (hostname: string, port: string) => boolean;
  readonly connectMs: number;
}

export type Lookup = typeof systemLookup;

/**
 * Connections that are only made to permitted addresses. The check is on the very address that is dialled, so a name
 * that resolves differently the second time gains nothing.
 */
export function createEgress(rule: EgressRule, lookup: Lookup = systemLookup): Dispatcher {
  const { Agent, buildConnector } = undici();
  return new Agent({
    keepAliveTimeout: 15_000,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect(options, callback) {
      const port = options.port || (options.protocol === 'https:' ? '443' : '80');
      let admitted: Lookup;
      try {
        admitted = admit(rule, lookup, bare(options.hostname), port);
      } catch (error) {
        return callback(error as Error, null);
      }
      return buildConnector({ timeout: rule.connectMs, lookup: admitted })(options, callback);
    },
  });
}

/** The same for one server without TLS. */
export function createPlainEgress(url: URL, rule: EgressRule, lookup: Lookup = systemLookup): HttpLines {
  return openPlainLines({
    url,
    connectMs: rule.connectMs,
    admit: (hostname, port) => admit(rule, lookup, hostname, port),
  });
}

/** How an address may be looked up. Throws where it may not be dialled at all. */
function admit(
  { privateOrigin, mayBePrivate }: EgressRule,
  lookup: Lookup,
  hostname: string,
  port: string,
): Lookup {
  const isVouchedFor =
    privateOrigin !== undefined &&
    hostname === bare(privateOrigin.hostname) &&
    port === portOf(privateOrigin);
  if (isVouchedFor || mayBePrivate?.(hostname, port) === true) return lookup;
  // Literals are never looked up, so they are judged here.
  if (isPrivateHost(hostname)) throw denied();
  return guardedLookup(lookup);
}

/** Names that lead into a private network are not known to it. */
export function guardedLookup(lookup: Lookup = systemLookup): Lookup {
  const guarded = (
    hostname: string,
    options: LookupOptions,
    callback: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
  ): void => {
    lookup(hostname, options, (error, address: string | LookupAddress[], family?: number) => {
      if (error !== null) return callback(error, address, family);
      const addresses = typeof address === 'string' ? [address] : address.map((entry) => entry.address);
      if (addresses.length === 0 || addresses.some(isPrivateAddress))
        return callback(denied(), address, family);
      callback(null, address, family);
    });
  };
  return guarded as Lookup;
}

function denied(): TransportError {
  return new TransportError('EGRESS_DENIED', 'the address is not allowed', { mayHaveArrived: false });
}

export function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

export function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80');
}
