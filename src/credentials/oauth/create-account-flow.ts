import type { Connector, OAuthSettings } from '../../connectors/index.js';
import type { Clock, Secret } from '../../kernel/index.js';
import {
  AuthFailure,
  beginAuthorization,
  checkAuthorizationAnswer,
  endsRenewal,
  exchangeCode,
  refreshTokens,
  requestMachineTokens,
  requireUsable,
  revokeToken,
  type AuthFetch,
  type ClientIdentity,
  type FetchContext,
  type ServerMetadata,
} from '../../mcp/auth/index.js';
import type { AccountFlow, BegunConnection, GrantedTokens } from '../account-flow.js';
import type { Credential, OAuthClientStore, OAuthGrant } from '../credential.js';
import { scopesToAsk } from '../step-up.js';
import { ClientRegistry, type ClientQuery } from './client-registry.js';
import { explore, namesAnother, problemWith, requireOAuth, scopesFor, toDiscovery } from './exploration.js';
import { signInAgain, toFlowFailure } from './flow-failure.js';
import { grantedBy, renewedBy } from './granted-tokens.js';
import { createServerMemory, type FindServer } from './server-memory.js';

export interface AccountFlowOptions {
  /** Bounded and guarded, with the reach a connector's authorization servers have. */
  readonly fetchFor: (connector: Connector) => AuthFetch;
  readonly clients: OAuthClientStore;
  readonly clock: Clock;
  /** Where the hub's client metadata document is; used where it is an https address. */
  readonly clientMetadataUrl: () => string | undefined;
  readonly clientName?: string;
}

export function createAccountFlow(options: AccountFlowOptions): AccountFlow {
  return new OAuthFlow(options);
}

/** All requests of one step together; each has its own limit too. */
const STEP_MS = 30_000;

interface Step {
  readonly context: FetchContext;
  readonly settings: OAuthSettings;
  readonly serverUrl: URL;
}

class OAuthFlow implements AccountFlow {
  readonly #fetchFor: AccountFlowOptions['fetchFor'];
  readonly #clock: Clock;
  readonly #registry: ClientRegistry;
  readonly #knownServer: FindServer;

  constructor(options: AccountFlowOptions) {
    this.#fetchFor = options.fetchFor;
    this.#clock = options.clock;
    this.#registry = new ClientRegistry({ clientName: 'Crosspoint', ...options });
    this.#knownServer = createServerMemory(options.clock);
  }

  begin(request: Parameters<AccountFlow['begin']>[0]): Promise<BegunConnection> {
    const { connector, redirectUri, challenge: header, before, signal } = request;
    return this.#step(connector, signal, async ({ context, settings }) => {
      const { discovery, challenge } = await explore(connector, header, context);
      const { server, resource } = discovery;
      requireUsable(server, context.fetch);
      const query = { connector, settings, server, redirectUri, resource };
      const { clientId } = await this.#registry.require(query, context);
      const isSame = before?.issuer === server.issuer && before.resource === resource;
      const scopes = scopesFor(settings, challenge, discovery, isSame ? scopesToAsk(before) : []);
      const more = settings.authorizationParameters;
      const begun = await beginAuthorization(server, { clientId, redirectUri, resource, scopes, more });
      return {
        issuer: server.issuer,
        resource,
        clientId,
        redirectUri,
        scopes,
        state: begun.state,
        codeVerifier: begun.codeVerifier,
        authorizationUrl: begun.url,
        tokenEndpoint: server.tokenEndpoint ?? '',
        issuerInAnswer: server.issuerInAnswer,
        ...(server.tokenAuthMethods !== undefined && { tokenAuthMethods: server.tokenAuthMethods }),
      };
    });
  }

  finish(
    connector: Connector,
    begun: BegunConnection,
    response: URLSearchParams,
    signal?: AbortSignal,
  ): Promise<GrantedTokens> {
    return this.#step(connector, signal, async ({ context, settings, serverUrl }) => {
      const checked = await checkAuthorizationAnswer({ ...begun, parameters: response });
      const problem = problemWith(begun, settings, serverUrl);
      if (problem !== undefined) throw new AuthFailure('refused', `${problem}: begin the sign-in again`);
      const server = { ...begun, tokenAuthMethods: begun.tokenAuthMethods };
      const query: ClientQuery = { connector, settings, server, redirectUri: begun.redirectUri };
      const client = await this.#registry.find(query, begun.clientId);
      if (client === undefined)
        throw new AuthFailure('refused', 'the hub was registered anew meanwhile: begin the sign-in again');
      const tokens = await this.#forgetting(query, begun.clientId, () =>
        exchangeCode({ server, client, resource: begun.resource }, { ...begun, checked }, context),
      );
      return grantedBy(tokens, begun, this.#clock.now());
    });
  }

  refresh(connector: Connector, credential: Credential, signal?: AbortSignal): Promise<GrantedTokens> {
    return this.#step(connector, signal, async (step) => {
      const { grant, values } = credential;
      const refreshToken: Secret | undefined = values['refresh_token'];
      if (grant === undefined || refreshToken === undefined)
        throw signInAgain(connector, 'there is no refresh token');
      try {
        const { server, client, query } = await this.#partiesOf(connector, grant, step);
        const tokens = await this.#forgetting(query, grant.clientId, () =>
          refreshTokens({ server, client, resource: grant.resource }, refreshToken.reveal(), step.context),
        );
        return renewedBy(tokens, grant, refreshToken, this.#clock.now());
      } catch (error) {
        if (!(error instanceof AuthFailure)) throw error;
        if (endsRenewal(error)) throw signInAgain(connector, 'the refresh token is not accepted any more');
        // A server that the service has left may never answer again.
        if (error.kind !== 'rejected' && (await namesAnother(connector, grant.issuer, step.context)))
          throw signInAgain(connector, 'the service names another authorization server');
        throw error;
      }
    });
  }

  authorizeMachine(
    connector: Connector,
    { challenge: header, signal }: Parameters<AccountFlow['authorizeMachine']>[1],
  ): Promise<GrantedTokens> {
    return this.#step(connector, signal, async ({ context, settings }) => {
      const { discovery, challenge } = await explore(connector, header, context);
      const { server, resource } = discovery;
      const query = { connector, settings, server, redirectUri: undefined, resource };
      const client = await this.#registry.require(query, context);
      const wanted = scopesFor(settings, challenge, discovery, []);
      // A machine can sign in again at any time: a refresh token would be one more secret (RFC 6749 section 4.4.3).
      const scopes = wanted.filter((scope) => scope !== 'offline_access');
      const tokens = await requestMachineTokens({ server, client, resource }, scopes, context);
      const parties = { issuer: server.issuer, resource, clientId: client.clientId, scopes };
      return grantedBy({ ...tokens, refreshToken: undefined }, parties, this.#clock.now());
    });
  }

  revoke(connector: Connector, { grant, values }: Credential, signal?: AbortSignal): Promise<boolean> {
    return this.#step(connector, signal, async (step) => {
      if (grant === undefined) return false;
      const { server, client } = await this.#partiesOf(connector, grant, step);
      if (server.revocationEndpoint === undefined) return false;
      for (const hint of ['refresh_token', 'access_token'] as const) {
        const token = values[hint]?.reveal();
        if (token !== undefined) await revokeToken({ server, client }, { token, hint }, step.context);
      }
      return true;
    });
  }

  async #step<T>(
    connector: Connector,
    signal: AbortSignal | undefined,
    work: (step: Step) => Promise<T>,
  ): Promise<T> {
    const deadline = AbortSignal.timeout(STEP_MS);
    try {
      const context = {
        fetch: this.#fetchFor(connector),
        signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
      };
      return await work({ context, ...requireOAuth(connector) });
    } catch (error) {
      throw toFlowFailure(error, connector, signal);
    }
  }

  /** The client the tokens of a grant belong to, and where it may take them. */
  async #partiesOf(
    connector: Connector,
    grant: OAuthGrant,
    { context, settings, serverUrl }: Step,
  ): Promise<{ server: ServerMetadata; client: ClientIdentity; query: ClientQuery }> {
    const problem = problemWith(grant, settings, serverUrl);
    if (problem !== undefined) throw signInAgain(connector, problem);
    const request = toDiscovery(connector, settings, serverUrl);
    const server = await this.#knownServer(connector, request, grant.issuer, context);
    const query: ClientQuery = { connector, settings, server, redirectUri: grant.redirectUri };
    const client = await this.#registry.find(query, grant.clientId);
    if (client === undefined) throw signInAgain(connector, 'the hub is not known as that client any more');
    return { server, client, query };
  }

  /** A registered client that the server does not know any more is of no use to anybody. */
  async #forgetting<T>(query: ClientQuery, clientId: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const isUnknown =
        error instanceof AuthFailure &&
        (error.serverError === 'invalid_client' || error.serverError === 'unauthorized_client');
      if (isUnknown && (await this.#registry.forget(query, clientId)))
        throw signInAgain(query.connector, 'the authorization server does not know the hub any more');
      throw error;
    }
  }
}
