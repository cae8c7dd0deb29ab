import type { Connector, OAuthSettings } from '../../connectors/index.js';
import { HubError, randomToken, Secret, type Clock } from '../../kernel/index.js';
import {
  AuthFailure,
  chooseAuthMethod,
  refreshTokens,
  registerClient,
  type ClientIdentity,
  type FetchContext,
  type ServerMetadata,
} from '../../mcp/auth/index.js';
import type { OAuthClient, OAuthClientStore } from '../credential.js';

export interface ClientRegistryOptions {
  readonly clients: OAuthClientStore;
  readonly clock: Clock;
  /** What people see at the authorization server. */
  readonly clientName: string;
  /** Where the hub's own metadata document is, once it is known. */
  readonly clientMetadataUrl: () => string | undefined;
}

/** For whom tokens were or are to be issued. */
export interface ClientQuery {
  readonly connector: Connector;
  readonly settings: OAuthSettings;
  readonly server: Pick<ServerMetadata, 'issuer' | 'tokenAuthMethods'>;
  readonly redirectUri: string | undefined;
}

/** For whom a sign-in begins. */
interface NewTokensQuery extends ClientQuery {
  readonly server: ServerMetadata;
  readonly resource: string;
}

/** A secret that ends within this time is of no use for an exchange that begins now. */
const ENDING_MS = 15 * 60_000;
/** So long after it was made a registration is taken to be known there still, and nobody is asked about it. */
const FRESH_MS = 10 * 60_000;

/** As whom the hub appears at an authorization server. A client counts for the issuer it was made for and no other. */
export class ClientRegistry {
  readonly #options: ClientRegistryOptions;
  readonly #registering = new Map<string, Promise<OAuthClient>>();

  constructor(options: ClientRegistryOptions) {
    this.#options = options;
  }

  /** In the specified order: registered beforehand, by metadata document, registered before, registered now. */
  async require(query: NewTokensQuery, context: FetchContext): Promise<ClientIdentity> {
    const { connector, settings, server } = query;
    if (settings.clientId !== undefined) return preRegistered(query);
    const document = this.#documentUrl();
    if (document !== undefined && server.clientDocuments) return { clientId: document, method: 'none' };
    const stored = await this.#findStored(query);
    if (stored !== undefined && (await this.#isUsable(stored, query, context))) return toIdentity(stored);
    if (server.registrationEndpoint === undefined || query.redirectUri === undefined)
      throw new HubError(
        'oauth_refused',
        `connector ${connector.id}: the authorization server does not register clients by itself. Register the hub there and set auth.clientId, auth.issuer and, if there is one, auth.clientSecret`,
        { details: { connector: connector.id } },
      );
    return toIdentity(await this.#register(query, query.redirectUri, context));
  }

  /** The client that tokens were issued to. Undefined if it is not known any more. */
  async find(query: ClientQuery, clientId: string): Promise<ClientIdentity | undefined> {
    if (query.settings.clientId === clientId) return preRegistered(query);
    if (this.#documentUrl() === clientId) return { clientId, method: 'none' };
    const stored = await this.#findStored(query);
    return stored?.clientId === clientId ? toIdentity(stored) : undefined;
  }

  /** The server does not know it any more: the next sign-in registers another. */
  async forget(
    { connector, settings, server, redirectUri }: ClientQuery,
    clientId: string,
  ): Promise<boolean> {
    if (settings.clientId === clientId || redirectUri === undefined) return false;
    await this.#options.clients.remove(connector.id, server.issuer, redirectUri);
    return true;
  }

  async #findStored({ connector, server, redirectUri }: ClientQuery): Promise<OAuthClient | undefined> {
    if (redirectUri === undefined) return undefined;
    return this.#options.clients.find(connector.id, server.issuer, redirectUri);
  }

  async #isUsable(client: OAuthClient, query: NewTokensQuery, context: FetchContext): Promise<boolean> {
    const now = this.#options.clock.now();
    if (client.expiresAt !== undefined && client.expiresAt - ENDING_MS <= now) return false;
    return now - client.registeredAt < FRESH_MS || isKnown(client, query, context);
  }

  /** Authorization servers fetch it, so it has to be an https address. */
  #documentUrl(): string | undefined {
    const url = this.#options.clientMetadataUrl();
    return url?.startsWith('https://') === true ? url : undefined;
  }

  /** Two exchanges that begin together share one client; otherwise the second would take the first one's away. */
  async #register(query: NewTokensQuery, redirectUri: string, context: FetchContext): Promise<OAuthClient> {
    const key = JSON.stringify([query.connector.id, query.server.issuer, redirectUri]);
    const running = this.#registering.get(key);
    if (running !== undefined) return running;
    const registration = this.#registerNow(query, redirectUri, context);
    this.#registering.set(key, registration);
    try {
      return await registration;
    } finally {
      this.#registering.delete(key);
    }
  }

  async #registerNow(
    { connector, server }: NewTokensQuery,
    redirectUri: string,
    context: FetchContext,
  ): Promise<OAuthClient> {
    const { clients, clock, clientName } = this.#options;
    const made = await registerClient(server, { redirectUri, clientName }, context);
    const client: OAuthClient = {
      connector: connector.id,
      issuer: server.issuer,
      redirectUri,
      clientId: made.clientId,
      clientSecret: made.clientSecret === undefined ? undefined : new Secret(made.clientSecret),
      authMethod: made.method,
      registeredAt: clock.now(),
      expiresAt: made.secretExpiresAt === undefined ? undefined : made.secretExpiresAt * 1_000,
    };
    await clients.save(client);
    return client;
  }
}

/**
 * Servers forget clients, and where one is to sign in that they do not know they tell the person, who then never comes back
 * to us. The token endpoint tells us: of a client that it knows it refuses only the token, which is nobody's.
 */
async function isKnown(
  client: OAuthClient,
  { server, resource }: NewTokensQuery,
  context: FetchContext,
): Promise<boolean> {
  try {
    await refreshTokens({ server, client: toIdentity(client), resource }, randomToken(), context);
    return true;
  } catch (error) {
    // Other words of refusal may be about anything.
    return !(error instanceof AuthFailure) || error.serverError !== 'invalid_client';
  }
}

/** A client's secret is for the server it was registered at. Whom the upstream names must not decide where it goes. */
function preRegistered({ connector, settings, server }: ClientQuery): ClientIdentity {
  const {
    clientId = '',
    clientSecret,
    clientAuth,
    privateKey,
    keyId,
    algorithm,
    issuer,
    tokenEndpoint,
  } = settings;
  const isBound = issuer === undefined ? tokenEndpoint !== undefined : issuer === server.issuer;
  if (!isBound)
    throw new HubError(
      'oauth_refused',
      issuer === undefined
        ? `connector ${connector.id}: set auth.issuer to the authorization server at which auth.clientId is registered`
        : `connector ${connector.id}: auth.clientId is registered at another authorization server than the one in use`,
      { details: { connector: connector.id } },
    );
  const fitting =
    clientSecret === undefined
      ? undefined
      : chooseAuthMethod(['client_secret_basic', 'client_secret_post'], server.tokenAuthMethods);
  const usual =
    privateKey === undefined ? clientSecret && (fitting ?? 'client_secret_basic') : 'private_key_jwt';
  const method = clientAuth ?? usual ?? 'none';
  if (method === 'private_key_jwt')
    return { clientId, method, privateKey: privateKey?.reveal() ?? '', keyId, algorithm };
  return method === 'none' || clientSecret === undefined
    ? { clientId, method: 'none' }
    : { clientId, method, secret: clientSecret.reveal() };
}

function toIdentity({ clientId, clientSecret, authMethod }: OAuthClient): ClientIdentity {
  return authMethod === 'none' || clientSecret === undefined
    ? { clientId, method: 'none' }
    : { clientId, method: authMethod, secret: clientSecret.reveal() };
}
