import { Deadlines } from './http-deadlines.js';
import type { StreamSource } from './http-get-stream.js';
import { requireHttpUrl, requireLimits, requireTimeouts, type HttpTransportOptions } from './http-options.js';
import { openLines } from './http-pool.js';
import { ReadPacer } from './read-pacer.js';

/** A server's address with everything needed to talk to it. */
export interface OpenEndpoint {
  readonly url: URL;
  readonly source: StreamSource;
  /** Closes the connections, if they are ours. */
  close(): Promise<void>;
}

/** Throws `TypeError` or `RangeError` for options that make no sense. Connects to nothing yet. */
export function openEndpoint(options: HttpTransportOptions): OpenEndpoint {
  const url = requireHttpUrl(options.url);
  const timeouts = requireTimeouts(options.timeouts);
  const limits = requireLimits(options.limits);
  const { tls, environment = process.env, headers = noHeaders } = options;
  const lines = options.dispatcher ?? openLines({ url, connectMs: timeouts.connectMs, tls, environment });
  const endpoint = {
    lines,
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    timeouts,
    deadlines: new Deadlines(Math.min(...Object.values(timeouts))),
    pacer: new ReadPacer(),
  };
  return {
    url,
    source: { endpoint, headers, limits },
    async close() {
      if (options.dispatcher === undefined) await lines.destroy();
    },
  };
}

function noHeaders(): Record<string, string> {
  return {};
}
