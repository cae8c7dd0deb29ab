import type { HttpLines } from './http-lines.js';
import type { HttpTls } from './http-options.js';
import { openPlainLines } from './plain/plain-lines.js';
import { undici } from './undici.js';

interface PoolOptions {
  readonly url: URL;
  readonly connectMs: number;
  readonly tls: HttpTls | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Longer than undici's own: most servers keep a quiet connection for a minute, and those that do not usually say so. */
const KEEP_ALIVE_MS = 15_000;

/**
 * Connections to one origin, kept alive. Their number is not bounded here: a peer may wait for the answer to a question
 * it asks in the middle of a call, and that answer must not queue behind the call.
 */
export function openLines(options: PoolOptions): HttpLines {
  const { url, connectMs, tls, environment } = options;
  const common = { keepAliveTimeout: KEEP_ALIVE_MS, headersTimeout: 0, bodyTimeout: 0 };
  const httpProxy = environment['http_proxy'] ?? environment['HTTP_PROXY'];
  const httpsProxy = environment['https_proxy'] ?? environment['HTTPS_PROXY'];
  if (!httpProxy && !httpsProxy) {
    if (url.protocol === 'http:') return openPlainLines({ url, connectMs });
    return new (undici().Pool)(url.origin, { ...common, connect: { ...tls, timeout: connectMs } });
  }
  return new (undici().EnvHttpProxyAgent)({
    ...common,
    // Empty text rather than nothing: undici would otherwise look into the environment of the process.
    httpProxy: httpProxy ?? '',
    httpsProxy: httpsProxy ?? '',
    noProxy: environment['no_proxy'] ?? environment['NO_PROXY'] ?? '',
    connect: { ...tls, timeout: connectMs },
    requestTls: { ...tls, timeout: connectMs },
    proxyTls: { timeout: connectMs },
  });
}
