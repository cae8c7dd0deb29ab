import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '../../kernel/index.js';
import type { Site } from '../http-listener.js';
import type { BrowserGate } from '../pages/browser-cookie.js';

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
  readonly gate: Pick<BrowserGate, 'find' | 'signInUrl'>;
  /** Answers `/` for everybody who is not an admin. */
  readonly start: Pick<Site, 'listener'>;
  readonly logger: Logger;
}

/** Where the built files are; their names carry a hash of what is in them. */
const ASSETS = '/console/';
/** The pages of the console. What is below them is told apart in the browser. */
const PAGES = /^\/(?:(?:connectors|tools|agents|policies|events|settings)(?:\/.*)?)?$/;
/** Where an agent would find a connector, if there were one of this name. */
const ENDPOINT = /^\/connectors\/[^/]*\/mcp$/;

const SECURITY_HEADERS = {
  // Answers of tools may be sound, which is played from its own bytes.
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

/** The console in a browser. Its page is for admins who signed in and holds no data: that comes from the admin API. */
export function createConsoleSite({ files, gate, start, logger }: ConsoleSiteOptions): Site {
  async function answerPage(request: IncomingMessage, response: ServerResponse, page: ConsoleFile) {
    const target = request.url ?? '/';
    const session = await gate.find(toRequest(request));
    if (session?.principal.kind === 'admin') return send(request, response, page, NEVER_KEPT);
    if (pathOf(target) === '/') return start.listener(request, response);
    sendTo(response, session === undefined ? gate.signInUrl(target) : '/');
  }

  return {
    owns: (path) => path.startsWith(ASSETS) || (PAGES.test(path) && !ENDPOINT.test(path)),
    listener(request, response) {
      const path = pathOf(request.url ?? '/');
      const built = files();
      if (path === '/' && built === undefined) return start.listener(request, response);
      if (request.method !== 'GET' && request.method !== 'HEAD')
        return say(request, response, 405, 'This address does not take that method.\n', {
          allow: 'GET, HEAD',
        });
      if (built === undefined)
        return say(request, response, 503, 'The console is not built: npm run build\n');
      if (!path.startsWith(ASSETS)) {
        answerPage(request, response, built.page).catch((error: unknown) => {
          logger.warn({ error: error instanceof Error ? error.name : 'unknown' }, 'the console failed');
          if (!response.headersSent)
            say(request, response, 503, 'The hub cannot tell who you are just now.\n');
        });
        return;
      }
      const asset = built.assets.get(path);
      if (asset === undefined) return say(request, response, 404, 'There is no such file.\n');
      send(request, response, asset, KEPT_FOREVER);
    },
  };
}

function pathOf(target: string): string {
  return target.split('?', 1)[0] ?? '/';
}

/** As much of a request as tells who sent it. */
function toRequest({ headers: { cookie = '', host = '' } }: IncomingMessage): Request {
  return new Request('http://hub.invalid/', { headers: { cookie, host } });
}

function sendTo(response: ServerResponse, location: string): void {
  response.writeHead(303, { ...SECURITY_HEADERS, 'cache-control': NEVER_KEPT, location }).end();
}

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
  return /(?:^|,)\s*gzip\s*(?!;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(headers['accept-encoding'] ?? '');
}

function say(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    ...SECURITY_HEADERS,
    ...headers,
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': NEVER_KEPT,
  });
  response.end(request.method === 'HEAD' ? undefined : text);
}
