import { createHash, randomBytes } from 'node:crypto';
import { FormBrowser } from './sign-in.js';
import type { TestHub } from './start-hub.js';

/** An OAuth client that is nothing but HTTP requests, and the person's browser in front of it. */

export const REDIRECT = 'http://127.0.0.1:7777/callback';

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly scope?: string;
  readonly expires_in: number;
  readonly token_type: string;
}

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

export interface AuthorizationWish {
  readonly clientId: string;
  readonly redirectUri?: string;
  readonly scope?: string;
  readonly resource?: string;
  /** Whatever differs from a proper request; undefined leaves a parameter out. */
  readonly change?: Readonly<Record<string, string | undefined>>;
}

export interface StartedAuthorization {
  readonly path: string;
  readonly verifier: string;
  readonly state: string;
  readonly redirectUri: string;
  readonly clientId: string;
}

export async function register(
  hub: Pick<TestHub, 'url'>,
  metadata: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${hub.url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ client_name: 'Test client', redirect_uris: [REDIRECT], ...metadata }),
  });
  return toAnswer(response);
}

export async function registeredClient(
  hub: Pick<TestHub, 'url'>,
  metadata: Record<string, unknown> = {},
): Promise<string> {
  const { status, body } = await register(hub, metadata);
  if (status !== 201) throw new Error(`not registered: ${status} ${JSON.stringify(body)}`);
  return String(body['client_id']);
}

export function startAuthorization(
  hub: Pick<TestHub, 'url'>,
  { clientId, redirectUri = REDIRECT, scope = 'mcp', resource, change = {} }: AuthorizationWish,
): StartedAuthorization {
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(16).toString('base64url');
  const parameters: Record<string, string | undefined> = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state,
    resource: resource ?? `${hub.url}/mcp`,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...change,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
  return { path: `/oauth/authorize?${query.toString()}`, verifier, state, redirectUri, clientId };
}

export async function signIn(hub: TestHub, secret: string): Promise<FormBrowser> {
  const browser = new FormBrowser(hub);
  const { status } = await browser.post('/sign-in', { secret });
  if (status !== 303) throw new Error(`not signed in: ${status}`);
  return browser;
}

/** Follows redirects within the hub, as browsers do. */
export async function follow(
  hub: Pick<TestHub, 'url'>,
  browser: FormBrowser,
  first: Response,
): Promise<Response> {
  let response = first;
  for (let steps = 0; steps < 10; steps++) {
    const refreshed = /url=(.*)$/.exec(response.headers.get('refresh') ?? '')?.[1];
    const location = response.headers.get('location') ?? refreshed;
    if (location === undefined) return response;
    const url = new URL(location, hub.url);
    if (url.origin !== new URL(hub.url).origin) return response;
    response = await browser.get(url.pathname + url.search);
  }
  throw new Error('too many redirects');
}

/** From the client's first address to the consent page, or to the client. */
export async function openConsent(
  hub: Pick<TestHub, 'url'>,
  browser: FormBrowser,
  { path }: Pick<StartedAuthorization, 'path'>,
): Promise<{ readonly response: Response; readonly page: string }> {
  const response = await follow(hub, browser, await browser.get(path));
  return { response, page: await response.clone().text() };
}

/** Sends the form of the consent page and follows to the client; answers where the client was called. */
export async function answerConsent(
  hub: Pick<TestHub, 'url'>,
  browser: FormBrowser,
  page: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<URL> {
  const action = /<form method="post" action="([^"]+)"/.exec(page)?.[1] ?? '';
  const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
  const agent =
    /name="agent" value="([^"]+)"/.exec(page)?.[1] ?? /<option value="([^"]+)"/.exec(page)?.[1] ?? '';
  const sent = await browser.post(action, { csrf, agent, decision: 'allow', ...fields });
  const last = await follow(hub, browser, sent);
  const location = last.headers.get('location');
  if (location === null) throw new Error(`not sent to the client: ${last.status} ${await last.text()}`);
  return new URL(location);
}

export async function exchange(
  hub: Pick<TestHub, 'url'>,
  { verifier, redirectUri, clientId }: StartedAuthorization,
  callback: URL,
  change: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return token(hub, {
    grant_type: 'authorization_code',
    code: callback.searchParams.get('code') ?? '',
    redirect_uri: redirectUri,
    client_id: clientId,
    code_verifier: verifier,
    resource: `${hub.url}/mcp`,
    ...change,
  });
}

export function refresh(
  hub: Pick<TestHub, 'url'>,
  clientId: string,
  refreshToken: string | undefined,
  change: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return token(hub, {
    grant_type: 'refresh_token',
    refresh_token: refreshToken ?? '',
    client_id: clientId,
    resource: `${hub.url}/mcp`,
    ...change,
  });
}

async function token(hub: Pick<TestHub, 'url'>, fields: Readonly<Record<string, string>>): Promise<Answer> {
  return toAnswer(
    await fetch(`${hub.url}/oauth/token`, { method: 'POST', body: new URLSearchParams(fields) }),
  );
}

/** The whole way: to the tokens of a client that the person allowed. */
export async function authorize(
  hub: TestHub,
  browser: FormBrowser,
  wish: AuthorizationWish,
): Promise<Tokens> {
  const started = startAuthorization(hub, wish);
  const { response, page } = await openConsent(hub, browser, started);
  const location = response.headers.get('location');
  const callback = location === null ? await answerConsent(hub, browser, page) : new URL(location);
  const { resource = `${hub.url}/mcp` } = wish;
  const { status, body } = await exchange(hub, started, callback, { resource });
  if (status !== 200) throw new Error(`no token: ${status} ${JSON.stringify(body)}`);
  return body as unknown as Tokens;
}

export async function toAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
}

/** What a JWT says, unchecked. */
export function claimsOf(jwt: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
}

/** The status and the challenge of a call with a token. */
export async function callWith(
  hub: Pick<TestHub, 'url'>,
  accessToken: string | undefined,
  path = '/mcp',
): Promise<{ readonly status: number; readonly challenge: string; readonly body: string }> {
  const response = await fetch(hub.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/list',
      ...(accessToken !== undefined && { authorization: `Bearer ${accessToken}` }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/list',
      params: {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'plain', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });
  return {
    status: response.status,
    challenge: response.headers.get('www-authenticate') ?? '',
    body: await response.text(),
  };
}
