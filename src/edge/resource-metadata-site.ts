import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Site } from './http-listener.js';
import type { TokenFace } from './identify-caller.js';
import { isResourcePath } from './own-resources.js';

export interface ResourceMetadataOptions {
  readonly tokens: TokenFace;
  /** Who issues tokens for us. */
  readonly authorizationServers: () => readonly string[];
}

const PREFIX = '/.well-known/oauth-protected-resource';
const SHARED = { 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff' };

/**
 * Tells clients where to get tokens for each endpoint (RFC 9728). Public, for pages of every origin; so it says the same
 * of connectors and toolsets that there are and of others.
 */
export function createResourceMetadataSite(options: ResourceMetadataOptions): Site {
  return {
    owns: (path) => path === PREFIX || path.startsWith(`${PREFIX}/`),
    isOpen: () => true,
    listener(request, response) {
      if (request.method === 'OPTIONS') {
        const allowed = { 'access-control-allow-methods': 'GET', 'access-control-allow-headers': '*' };
        response.writeHead(204, { ...SHARED, ...allowed, 'access-control-max-age': '3600' }).end();
      } else if (request.method === 'GET' || request.method === 'HEAD') describe(options, request, response);
      else response.writeHead(405, { ...SHARED, allow: 'GET, HEAD, OPTIONS' }).end();
    },
  };
}

function describe(
  { tokens, authorizationServers }: ResourceMetadataOptions,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const asked = (request.url ?? '').replace(/\?.*$/, '').slice(PREFIX.length).replace(/\/$/, '');
  const path = asked === '' ? '/mcp' : asked;
  if (!tokens.isOn() || !isResourcePath(path)) {
    send(request, response, 404, {
      error: { code: 'not_found', message: 'there is nothing at this address' },
    });
    return;
  }
  send(request, response, 200, {
    resource: `${tokens.resources.baseFor(request.headers.host)}${path}`,
    authorization_servers: authorizationServers(),
    scopes_supported: tokens.scopes(),
    bearer_methods_supported: ['header'],
    resource_name: 'Crosspoint',
  });
}

function send(request: IncomingMessage, response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...SHARED,
    'cache-control': 'no-store',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(request.method === 'HEAD' ? undefined : text);
}
