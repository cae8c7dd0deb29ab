import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Site } from '../http-listener.js';
import { renderFailure } from '../pages/failure-page.js';
import { createConsent, type ConsentOptions } from './consent.js';
import { createFlowLimits, type FlowLimitsOptions } from './flow-limits.js';
import { sendResponse } from './node-exchange.js';
import { createProviderDoor, type ProviderDoorOptions } from './provider-door.js';
import { CONSENT_PATH, ROUTES } from './provider-settings.js';
import { createRegistration, type RegistrationOptions } from './registration.js';

export type AuthorizationSiteOptions = Omit<ProviderDoorOptions, 'mayFetch'> &
  Omit<ConsentOptions, 'door'> &
  Omit<RegistrationOptions, 'door'> &
  FlowLimitsOptions;

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const METADATA = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];
const CONSENT = new RegExp(`^${CONSENT_PATH}[\\w-]{1,64}$`);
const RESUME = new RegExp(`^${ROUTES.authorization}/[\\w-]{1,64}$`);
/** Asked by programs, with nothing of a browser's: pages of any origin may. */
const OPEN = new Set<string>([
  ...METADATA,
  ROUTES.token,
  ROUTES.registration,
  ROUTES.revocation,
  ROUTES.jwks,
]);

/** The hub as authorization server, so that clients can sign in with a browser. */
export function createAuthorizationSite(options: AuthorizationSiteOptions): Site {
  const limits = createFlowLimits(options);
  const door = createProviderDoor({ ...options, mayFetch: (request) => limits.mayFetch(request) });
  const consent = createConsent({ ...options, door });
  const register = createRegistration({ ...options, door });

  async function begin(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await limits.requireBegin(request);
    await door.pass(withDefaultScope(request, options.scopes), response);
  }

  function handlerFor(path: string, method: string): Handler {
    if (CONSENT.test(path)) return method === 'POST' ? consent.decide : consent.ask;
    if (path === ROUTES.registration && method === 'POST' && options.registration) return register;
    if (path === ROUTES.registration && method === 'OPTIONS') return allowAnyOrigin;
    if (path === ROUTES.authorization) return begin;
    return (request, response) => door.pass(request, response);
  }

  return {
    owns: (path) =>
      OPEN.has(path) || path === ROUTES.authorization || RESUME.test(path) || CONSENT.test(path),
    isOpen: (path) => OPEN.has(path),
    listener(request, response) {
      const path = (request.url ?? '').replace(/\?.*$/, '');
      handlerFor(path, request.method ?? '')(request, response).catch((error: unknown) => {
        options.logger.debug({ error: error instanceof Error ? error.name : 'unknown' }, 'a page failed');
        void sendResponse(response, renderFailure(error));
      });
    },
  };
}

/** Who asks for nothing of ours gets the first scope (RFC 6749, section 3.3). */
function withDefaultScope(request: IncomingMessage, scopes: readonly string[]): IncomingMessage {
  const [first] = scopes;
  const url = new URL(request.url ?? '/', 'http://hub.invalid');
  const asked = (url.searchParams.get('scope') ?? '').split(' ').filter((scope) => scope !== '');
  if (first === undefined || request.method !== 'GET' || asked.some((scope) => scopes.includes(scope)))
    return request;
  url.searchParams.set('scope', [...asked, first].join(' '));
  request.url = url.pathname + url.search;
  return request;
}

async function allowAnyOrigin(_request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(204, {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'content-type, authorization, mcp-protocol-version',
    'access-control-max-age': '3600',
  });
  response.end();
}
