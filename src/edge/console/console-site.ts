import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Site } from '../http-listener.js';

/** One file of the built console. */
export interface ConsoleFile {
  readonly type: string;
  readonly body: Uint8Array;
  /** The same, compressed, where that is smaller. */
  readonly gzip: Uint8Array | undefined;
}

/** The built console: its page, and whatever that loads, by path. Nothing else can be asked for. */
export interface ConsoleFiles {
  readonly page: ConsoleFile;
  readonly assets: ReadonlyMap<string, ConsoleFile>;
}

export interface ConsoleSiteOptions {
  /** Undefined where the console was not built. */
  readonly files: () => ConsoleFiles | undefined;
}

/** Where the built files are; their names carry a hash of what is in them. */
const ASSETS = '/console/';
/** The pages of the console. What is below them is told apart in the browser. */
const PAGES = /^\/(?:(?:connectors|tools|agents|policies|events)(?:\/.*)?)?$/;

const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

const NEVER_KEPT = 'no-store';
const KEPT_FOREVER = 'public, max-age=31536000, immutable';

/** The console in a browser. The page holds no data; it asks the admin API, which asks who is there. */
export function createConsoleSite({ files }: ConsoleSiteOptions): Site {
  return {
    owns: (path) => path.startsWith(ASSETS) || PAGES.test(path),
    listener(request, response) {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        response
          .writeHead(405, { ...SECURITY_HEADERS, 'cache-control': NEVER_KEPT, allow: 'GET, HEAD' })
          .end();
        return;
      }
      const built = files();
      if (built === undefined) return sayMissing(request, response, 503, NOT_BUILT);
      const path = (request.url ?? '').split('?', 1)[0] ?? '';
      if (!path.startsWith(ASSETS)) return send(request, response, built.page, NEVER_KEPT);
      const asset = built.assets.get(path);
      if (asset === undefined) return sayMissing(request, response, 404, 'There is no such file.\n');
      send(request, response, asset, KEPT_FOREVER);
    },
  };
}

const NOT_BUILT = 'The console is not built: npm run build\n';

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { type, body, gzip }: ConsoleFile,
  caching: string,
): void {
  const compressed = acceptsGzip(request) ? gzip : undefined;
  const content = compressed ?? body;
  response.writeHead(200, {
    ...SECURITY_HEADERS,
    'content-type': type,
    'content-length': content.byteLength,
    'cache-control': caching,
    vary: 'accept-encoding',
    ...(compressed !== undefined && { 'content-encoding': 'gzip' }),
  });
  response.end(request.method === 'HEAD' ? undefined : content);
}

function acceptsGzip({ headers }: IncomingMessage): boolean {
  return /(?:^|,)\s*gzip\s*(?!;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(String(headers['accept-encoding'] ?? ''));
}

function sayMissing(request: IncomingMessage, response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    ...SECURITY_HEADERS,
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': NEVER_KEPT,
  });
  response.end(request.method === 'HEAD' ? undefined : text);
}
