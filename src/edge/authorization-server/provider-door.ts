import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { HubError, type Logger } from '../../kernel/index.js';
import type { ClientApprovals } from '../../operations/index.js';
import { renderFailure } from '../pages/failure-page.js';
import { isRegisteredRedirect, readClientMetadata } from './client-metadata.js';
import { loadProvider } from './load-provider.js';
import { providerSettings, type ProviderParts } from './provider-settings.js';
import type { SigningKeys } from './signing-keys.js';

/** Leads requests to the provider, which is made at the first of them. */
export interface ProviderDoor {
  open(): Promise<Provider>;
  pass(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** Fetches from anywhere but private networks, follows nothing, reads a bounded body. */
export type ClientFetch = (
  url: string,
  init: { readonly headers: Record<string, string>; readonly redirect: 'manual' },
) => Promise<Response>;

export interface ProviderDoorOptions extends Omit<
  ProviderParts,
  'issuer' | 'keys' | 'cookieKey' | 'fetchClient' | 'renderError'
> {
  readonly issuer: () => string;
  readonly signingKeys: SigningKeys;
  /** 32 secret bytes by name, the same for every process on the store. */
  readonly secrets: { require(name: string): Promise<Buffer> };
  readonly fetch: ClientFetch;
  readonly approvals: Pick<ClientApprovals, 'noteRegistered'>;
  /** Tokens stood on grants of which one has just ended. */
  readonly onRevoked: () => void;
  readonly logger: Logger;
}

export function createProviderDoor(options: ProviderDoorOptions): ProviderDoor {
  let made: { readonly keys: readonly unknown[]; readonly provider: Promise<Provider> } | undefined;

  async function open(): Promise<Provider> {
    const keys = await options.signingKeys.current();
    // With new keys comes a new provider; all it knows is in the store.
    if (made?.keys === keys) return made.provider;
    const provider = createProvider(options, keys);
    const current = { keys, provider };
    made = current;
    provider.catch(() => {
      if (made === current) made = undefined;
    });
    return provider;
  }

  return {
    open,
    async pass(request, response) {
      const provider = await open();
      // Where we are is a setting; what a request or a proxy says of it does not count.
      const { protocol, host } = new URL(options.issuer());
      request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
      request.headers['x-forwarded-host'] = host;
      await provider.callback()(request, response);
    },
  };
}

async function createProvider(
  options: ProviderDoorOptions,
  keys: Awaited<ReturnType<SigningKeys['current']>>,
): Promise<Provider> {
  const library = await loadProvider();
  const issuer = options.issuer();
  const cookieKey = (await options.secrets.require('oauth-cookies')).toString('base64url');
  const settings = providerSettings(
    {
      ...options,
      issuer,
      keys,
      cookieKey,
      fetchClient: (url) => fetchClient(options.fetch, url),
      renderError: (context, code, error) => showError(context, code, error, options.logger),
    },
    library,
  );
  const provider = new library.Provider(issuer, settings);
  provider.proxy = true;
  provider.Client.prototype.redirectUriAllowed = function allowed(uri) {
    return isRegisteredRedirect(this.redirectUris ?? [], uri);
  };
  // Who somebody is stays with their browser session; here it must not outlive one authorization.
  provider.on('authorization.success', ({ oidc }) => {
    delete oidc.session?.accountId;
    delete oidc.session?.authorizations;
  });
  provider.on('registration_create.success', (_context, { clientId, clientName = '' }) =>
    options.approvals.noteRegistered({ clientId, name: clientName }),
  );
  provider.on('grant.revoked', () => options.onRevoked());
  provider.on('server_error', (_context, error) =>
    options.logger.error({ error: error.name }, 'the authorization server failed'),
  );
  return provider;
}

/** A client's metadata document, checked and reduced to the members that count. */
async function fetchClient(fetch: ClientFetch, url: string): Promise<Response> {
  const answer = await fetch(url, { headers: { accept: 'application/json' }, redirect: 'manual' });
  if (answer.status !== 200) return new Response(null, { status: 502 });
  const document: unknown = await answer.json();
  const named = (document as { readonly client_id?: unknown } | null)?.client_id;
  const method = (document as { readonly token_endpoint_auth_method?: unknown } | null)
    ?.token_endpoint_auth_method;
  if (method !== undefined && method !== 'none')
    throw new HubError('invalid_request', 'only clients without a secret are known here');
  const text = JSON.stringify({ ...readClientMetadata(document), client_id: named });
  const age = answer.headers.get('cache-control');
  return new Response(text, {
    headers: { 'content-type': 'application/json', ...(age !== null && { 'cache-control': age }) },
  });
}

/** For people, where there is no client that could be told. Nothing of the request is shown. */
async function showError(
  context: KoaContextWithOIDC,
  code: string,
  error: Error,
  logger: Logger,
): Promise<void> {
  logger.debug({ error: code }, 'an authorization request was refused');
  const page = renderFailure(
    new HubError(
      'invalid_request',
      `the program that sent you here asked for something this hub cannot do (${code}): go back to it and try again`,
      { cause: error },
    ),
  );
  for (const [name, value] of page.headers) context.set(name, value);
  context.body = await page.text();
}
