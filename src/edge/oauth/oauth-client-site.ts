import type { BrowserSession } from '../../agents/index.js';
import type { ConnectorReader } from '../../connectors/index.js';
import { HubError, type Logger } from '../../kernel/index.js';
import {
  CALLBACK_PATH,
  CONNECT_PATH,
  type ConnectionOperations,
  type ConnectPage,
  type FinishedConnection,
  type Initiator,
} from '../../operations/index.js';
import { FORWARDED_FOR, type ClientNetworkOf } from '../client-network.js';
import type { Site } from '../http-listener.js';
import type { BrowserGate } from '../pages/browser-cookie.js';
import { redirectTo } from '../pages/page.js';
import { readForm } from '../pages/read-form.js';
import { createWebSite } from '../web-site.js';
import { CLIENT_METADATA_PATH, toClientMetadata } from './client-metadata.js';
import {
  renderConnected,
  renderConnectLink,
  renderConnectQuestion,
  renderRefusal,
} from './connection-pages.js';

/** Where whoever signed in first takes what an authorization server answered. */
const CLAIM_PATH = `${CALLBACK_PATH}/`;

export interface OAuthClientSiteOptions {
  readonly connections: Pick<ConnectionOperations, 'begin' | 'finish' | 'pages'>;
  readonly connectors: Pick<ConnectorReader, 'find'>;
  readonly gate: BrowserGate;
  readonly clientNetworkOf: ClientNetworkOf;
  /** Of the hub, for a path of ours. */
  readonly urlOf: (path: string) => string;
  readonly logger: Logger;
}

/** Our side as a client of authorization servers: where they send people back to, and what they may know of us. */
export function createOAuthClientSite(options: OAuthClientSiteOptions): Site {
  return createWebSite({
    logger: options.logger,
    renderError: (error) => renderRefusal(error),
    routes: {
      [CALLBACK_PATH]: { GET: (request, address) => callBack(options, request, address) },
      [`${CLAIM_PATH}*`]: { GET: (request) => claim(options, request) },
      [`${CONNECT_PATH}*`]: {
        GET: (request) => askToConnect(options, request),
        POST: (request) => connect(options, request),
      },
      [CLIENT_METADATA_PATH]: { GET: async () => toClientMetadata(options.urlOf) },
    },
  });
}

async function callBack(
  { connections, gate, clientNetworkOf }: OAuthClientSiteOptions,
  request: Request,
  address: string,
): Promise<Response> {
  requireGet(request);
  const finished = await connections.finish.answer({
    response: new URL(request.url).searchParams,
    browser: () => gate.find(request),
    // Browsers say so of every page they open, and no page can make them say anything else.
    isPerson: request.headers.get('sec-fetch-mode') === 'navigate',
    address: clientNetworkOf(address, request.headers.get(FORWARDED_FOR)),
  });
  return show(gate, finished);
}

async function claim({ connections, gate }: OAuthClientSiteOptions, request: Request): Promise<Response> {
  requireGet(request);
  const { pathname } = new URL(request.url);
  const browser = await gate.find(request);
  if (browser === undefined) return redirectTo(gate.signInUrl(pathname));
  return show(gate, await connections.finish.claim({ name: pathname.slice(CLAIM_PATH.length), browser }));
}

/** What only looks must not use anything up. */
function requireGet({ method }: Request): void {
  if (method === 'GET') return;
  throw new HubError('method_not_allowed', 'this address does not take that method', {
    details: { allow: ['GET'] },
  });
}

function show(gate: BrowserGate, finished: FinishedConnection): Response {
  switch (finished.kind) {
    case 'connected':
      return renderConnected(finished);
    case 'confirm':
      return redirectTo(finished.location);
    case 'sign_in':
      return redirectTo(gate.signInUrl(CLAIM_PATH + finished.name));
    case 'refused':
      return renderRefusal(finished.error, finished.returnTo);
  }
}

async function askToConnect(options: OAuthClientSiteOptions, request: Request): Promise<Response> {
  const { page, connector } = await findPage(options, request);
  const session = await options.gate.find(request);
  if (session === undefined) return redirectTo(options.gate.signInUrl(new URL(request.url).pathname));
  toInitiator(session, page);
  return renderConnectQuestion(options.gate, session, page, connector);
}

async function connect(options: OAuthClientSiteOptions, request: Request): Promise<Response> {
  const { gate, connections } = options;
  gate.requireSameOrigin(request);
  const { page, connector } = await findPage(options, request);
  const session = await gate.find(request);
  if (session === undefined || !gate.checkCsrf(session, await readForm(request)))
    throw new HubError('forbidden', 'this must come from the page before it: open the link again');
  const { authorizationUrl } = await connections.begin({
    by: toInitiator(session, page),
    connector: page.connector,
    owner: { kind: 'agent', agent: page.agent },
  });
  return renderConnectLink(connector, authorizationUrl);
}

async function findPage({ connections, connectors }: OAuthClientSiteOptions, request: Request) {
  const page = await connections.pages.find(new URL(request.url).pathname.slice(CONNECT_PATH.length));
  const connector = page && (await connectors.find(page.connector));
  if (page === undefined || connector === undefined)
    throw new HubError('invalid_request', 'this link is not known or too old: let your client ask again');
  return { page, connector };
}

/** The agent the link was made for, or somebody who decides about agents. Whoever else has the link gets nowhere with it. */
function toInitiator({ id: browser, principal }: BrowserSession, { agent }: ConnectPage): Initiator {
  if (principal.kind === 'agent' && principal.id === agent) return { kind: 'agent', id: agent, browser };
  if (principal.kind === 'admin' && principal.role === 'owner')
    return { kind: 'admin', id: principal.id, role: principal.role, browser };
  throw new HubError(
    'forbidden',
    `this link is for agent ${agent}: sign out, and sign in with a key of that agent`,
  );
}
