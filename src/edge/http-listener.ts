import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Guard } from '../mcp/server/index.js';
import { limitBody } from './body-deadline.js';
import type { McpEndpoints } from './mcp-endpoints.js';

/** A part of the web face besides MCP and the admin API, with paths of its own. */
export interface Site {
  owns(path: string): boolean;
  /** Paths that pages of any origin may ask: they hold nothing of whoever's browser it is. The `Host` is checked all the same. */
  isOpen?(path: string): boolean;
  readonly listener: RequestListener;
}

export interface HttpListenerOptions {
  readonly mcp: Pick<McpEndpoints, 'find'>;
  readonly guard: Guard;
  /** Whether calls can be served. */
  readonly isReady: () => boolean;
  /** The first that owns the path answers. */
  readonly sites: readonly Site[];
  /** Whatever nobody owns: the admin API. */
  readonly others: RequestListener;
  /** How long a body may take that is not for an MCP endpoint. Default 20 s. */
  readonly bodyTimeoutMs?: number;
}

/** One port for everything. MCP endpoints come first and stay clear of any framework. */
export function createHttpListener({
  mcp,
  guard,
  isReady,
  sites,
  others,
  bodyTimeoutMs,
}: HttpListenerOptions): RequestListener {
  return (request, response) => {
    if (request.url?.startsWith('/') !== true) takeAuthority(request);
    const path = pathOf(request.url ?? '');
    const endpoint = mcp.find(path);
    if (endpoint !== undefined) {
      endpoint(request, response);
      return;
    }
    // Whatever answers, libraries included; an answer that may be kept says so itself.
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    if (!isPlain(path))
      return answer(request, response, 404, {
        error: { code: 'not_found', message: 'there is nothing at this address' },
      });
    const site = sites.find((one) => one.owns(path));
    const headers = request.headers as Readonly<Record<string, string | undefined>>;
    const refused = guard.check(site?.isOpen?.(path) === true ? { host: headers['host'] } : headers);
    if (refused !== undefined)
      return answer(request, response, refused.status, {
        error: { code: 'forbidden', message: refused.message },
      });
    if (path === '/health') return answer(request, response, 200, { status: 'ok' });
    // Who shows who he is may be told why; that takes longer than a probe should.
    if (
      path === '/ready' &&
      request.headers.authorization === undefined &&
      request.headers.cookie === undefined
    )
      return answer(request, response, isReady() ? 200 : 503, { status: isReady() ? 'ready' : 'not ready' });
    limitBody(request, response, bodyTimeoutMs);
    (site?.listener ?? others)(request, response);
  };
}

const ABSOLUTE = /^https?:\/\/([^/?#]*)([^#]*)$/i;

/** A target in absolute form is as good as any; its authority counts instead of the header (RFC 9112, section 3.2.2). */
function takeAuthority(request: IncomingMessage): void {
  const [, authority, rest = ''] = ABSOLUTE.exec(request.url ?? '') ?? [];
  if (authority === undefined) return;
  request.headers.host = authority;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
}

function pathOf(target: string): string {
  const end = target.indexOf('?');
  return end === -1 ? target : target.slice(0, end);
}

const UNUSUAL_PATH = /\/\/|\/\.{1,2}(?:\/|$)|[\\#]|%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/i;

/**
 * One place has one spelling: whoever guards addresses in front of us reads them as we do. Libraries behind this would
 * resolve dots and escapes of ordinary characters.
 */
function isPlain(path: string): boolean {
  return path.startsWith('/') && !UNUSUAL_PATH.test(path);
}

function answer(request: IncomingMessage, response: ServerResponse, status: number, body: object): void {
  if (request.method !== 'GET' && request.method !== 'HEAD' && status === 200) {
    response.writeHead(405, { ...HEADERS, allow: 'GET, HEAD' }).end();
    return;
  }
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...HEADERS,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(request.method === 'HEAD' ? undefined : text);
}

const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
