import { createHash } from 'node:crypto';
import type { AgentReader, SingleSignOn } from '../../agents/index.js';
import { HubError, type Logger } from '../../kernel/index.js';
import type { SignedIn, SignIn, SignInElsewhere } from '../../operations/index.js';
import { FORWARDED_FOR, type ClientNetworkOf } from '../client-network.js';
import type { Site } from '../http-listener.js';
import { createWebSite, type WebHandler } from '../web-site.js';
import { html } from 'hono/html';
import type { BrowserGate } from './browser-cookie.js';
import { redirectTo, renderPage, STYLESHEET_PATH } from './page.js';
import { readForm } from './read-form.js';
import { toReturnPath } from './return-path.js';
import { renderSignIn } from './sign-in-page.js';
import { renderStart } from './start-page.js';
import { STYLESHEET } from './stylesheet.js';

export interface PagesSiteOptions {
  readonly gate: BrowserGate;
  readonly signIn: SignIn;
  readonly signInElsewhere: SignInElsewhere;
  readonly singleSignOn: Pick<SingleSignOn, 'provider'>;
  readonly agents: Pick<AgentReader, 'list'>;
  readonly clientNetworkOf: ClientNetworkOf;
  /** The address of a path of this hub. */
  readonly urlOf: (path: string) => string;
  readonly logger: Logger;
}

const PROVIDER_PATH = '/sign-in/provider';
const CALLBACK_PATH = '/sign-in/callback';

/** Signing in and out, the start page, and what all pages look like. */
export function createPagesSite(options: PagesSiteOptions): Site {
  return createWebSite({
    logger: options.logger,
    routes: {
      [STYLESHEET_PATH]: { GET: createStylesheetHandler() },
      '/': { GET: createStartHandler(options) },
      '/sign-in': { GET: createSignInHandler(options), POST: createSignInFormHandler(options) },
      [PROVIDER_PATH]: { GET: createProviderHandler(options) },
      [CALLBACK_PATH]: { GET: createCallbackHandler(options) },
      '/sign-out': { POST: createSignOutHandler(options) },
    },
  });
}

function addressOf({ clientNetworkOf }: PagesSiteOptions, { headers }: Request, peer: string): string {
  return clientNetworkOf(peer, headers.get(FORWARDED_FOR));
}

function createStylesheetHandler(): WebHandler {
  const etag = `"${createHash('sha256').update(STYLESHEET).digest('base64url').slice(0, 22)}"`;
  const headers = { etag, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' };
  return async (request) =>
    request.headers.get('if-none-match') === etag
      ? new Response(null, { status: 304, headers })
      : new Response(STYLESHEET, { headers: { ...headers, 'content-type': 'text/css; charset=utf-8' } });
}

function createStartHandler({ gate, agents, urlOf }: PagesSiteOptions): WebHandler {
  return async (request) => {
    const session = await gate.find(request);
    if (session === undefined) return redirectTo('/sign-in');
    const isAdmin = session.principal.kind === 'admin';
    return renderStart({ session, gate, mcpUrl: urlOf('/mcp'), agents: isAdmin ? await agents.list() : [] });
  };
}

/** Looking changes nothing: programs that preview links must not use one up. */
function createSignInHandler({ gate, singleSignOn }: PagesSiteOptions): WebHandler {
  return async (request) => {
    const { searchParams } = new URL(request.url);
    return renderSignIn({
      next: toReturnPath(searchParams.get('next')),
      code: searchParams.get('code')?.slice(0, 128),
      as: (await gate.find(request))?.principal,
      provider: singleSignOn.provider,
    });
  };
}

function createSignInFormHandler(options: PagesSiteOptions): WebHandler {
  const { gate, signIn, singleSignOn } = options;
  return async (request, peer) => {
    gate.requireSameOrigin(request);
    const form = await readForm(request);
    const next = toReturnPath(form.get('next'));
    const attempt = { address: addressOf(options, request, peer), replaces: gate.cookieOf(request) };
    const code = form.get('code');
    try {
      const signedIn =
        code === null
          ? await signIn.withSecret({ ...attempt, secret: (form.get('secret') ?? '').trim() })
          : await signIn.withLink({ ...attempt, code });
      return goOn(gate, signedIn, next);
    } catch (error) {
      if (!(error instanceof HubError) || error.code !== 'unauthenticated') throw error;
      const problem =
        code === null
          ? 'That token or key is not known here.'
          : 'That link is not valid, or not any more. Make a new one with “crosspoint sign-in-link”.';
      return renderSignIn({ next, provider: singleSignOn.provider, problem, status: 401 });
    }
  };
}

/**
 * Not by a redirect where a flow goes on: browsers hold every address it leads to against the `form-action` of the page
 * whose form began it, and only this page knows nothing of where that will be.
 */
function goOn(gate: BrowserGate, { cookie }: SignedIn, next: string): Response {
  const headers = new Headers({ 'set-cookie': gate.setCookie(cookie) });
  if (next === '/') return redirectTo(next, headers);
  headers.set('refresh', `0; url=${next}`);
  return renderPage({ title: 'Signed in', body: html`<p><a href="${next}">Continue</a></p>`, headers });
}

/** A link, not a form, so that it may lead to the provider. It signs nobody in. */
function createProviderHandler(options: PagesSiteOptions): WebHandler {
  const { gate, signInElsewhere, urlOf } = options;
  return async (request, peer) => {
    const { location, binding } = await signInElsewhere.begin({
      redirectUri: urlOf(CALLBACK_PATH),
      next: toReturnPath(new URL(request.url).searchParams.get('next')),
      binding: gate.flowCookie.read(request),
      address: addressOf(options, request, peer),
      signal: request.signal,
    });
    return redirectTo(location, { 'set-cookie': gate.flowCookie.set(binding) });
  };
}

function createCallbackHandler(options: PagesSiteOptions): WebHandler {
  const { gate, signIn, signInElsewhere } = options;
  return async (request, peer) => {
    const address = addressOf(options, request, peer);
    const { identity, next } = await signInElsewhere.finish({
      binding: gate.flowCookie.read(request),
      response: new URL(request.url).searchParams,
      address,
      signal: request.signal,
    });
    const signedIn = await signIn.withIdentity({ identity, address, replaces: gate.cookieOf(request) });
    // The cookie of the way stays until it ends by itself: another tab may still be under way.
    return goOn(gate, signedIn, next);
  };
}

function createSignOutHandler({ gate, signIn }: PagesSiteOptions): WebHandler {
  return async (request) => {
    gate.requireSameOrigin(request);
    const form = await readForm(request);
    const cookie = gate.cookieOf(request);
    const session = await gate.find(request);
    if (cookie !== undefined && session !== undefined) {
      if (!gate.checkCsrf(session, form))
        throw new HubError('forbidden', 'this form is out of date: go back, reload, and try again');
      await signIn.signOut(cookie);
    }
    return redirectTo('/sign-in', {
      'set-cookie': gate.clearCookie(),
      // Whatever the browser kept of the pages must not come back with its back button.
      'clear-site-data': '"cache"',
    });
  };
}
