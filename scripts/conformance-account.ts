import { createMemoryClients } from '../test/support/oauth/memory-clients.js';
import { parseConnector, type Connector } from '../src/connectors/index.js';
import { createAccountFlow, type AccountFlow, type GrantedTokens } from '../src/credentials/index.js';
import { isHubError, systemClock } from '../src/kernel/index.js';
import { discover, findBearerChallenge } from '../src/mcp/auth/index.js';
import type { JsonObject } from '../src/mcp/jsonrpc/index.js';
import { TransportError } from '../src/mcp/transports/index.js';
import { createAuthorizationFetch } from '../src/upstreams/index.js';

/** What the suite expects a client to name where servers accept client metadata documents. */
const CLIENT_DOCUMENT = 'https://conformance-test.local/client-metadata.json';
const REDIRECT = 'http://localhost:3000/callback';
const MAX_SIGN_INS = 3;

/**
 * An account at the server under test, made and renewed by the hub's own credential code. Instead of a person in a browser
 * there is one request: the suite's authorization servers redirect at once.
 */
export class ConformanceAccount {
  readonly #url: string;
  readonly #context: JsonObject;
  readonly #fetchFor = createAuthorizationFetch();
  readonly #flow: AccountFlow;
  #granted: GrantedTokens | undefined;
  #signIns = 0;

  constructor(url: string, context: JsonObject) {
    this.#url = url;
    this.#context = context;
    this.#flow = createAccountFlow({
      fetchFor: this.#fetchFor,
      clients: createMemoryClients(),
      clock: systemClock,
      clientMetadataUrl: () => CLIENT_DOCUMENT,
    });
  }

  readonly headers = (): Record<string, string> => {
    const token = this.#granted?.values['access_token'];
    return token === undefined ? {} : { authorization: `Bearer ${token.reveal()}` };
  };

  /** Does it, and where the server wants authorization or more of it, signs in and does it again. */
  async authorized<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const challenge = error instanceof TransportError ? error.challenge : undefined;
        if (challenge === undefined || this.#signIns >= MAX_SIGN_INS) throw error;
        this.#signIns += 1;
        await this.#signIn(challenge);
      }
    }
  }

  async #signIn(challenge: string): Promise<void> {
    const connector = await this.#describe(challenge);
    if (connector.auth.type === 'client_credentials') {
      this.#granted = await this.#flow.authorizeMachine(connector, { challenge });
      return;
    }
    const begun = await this.#flow.begin({
      connector,
      redirectUri: REDIRECT,
      challenge,
      before: this.#granted?.grant,
    });
    const answer = await fetch(begun.authorizationUrl, { redirect: 'manual' });
    await answer.body?.cancel();
    const location = new URL(answer.headers.get('location') ?? '', begun.authorizationUrl);
    this.#granted = await this.#flow.finish(connector, begun, location.searchParams);
  }

  /** As an operator would write it: a client that was registered beforehand stands there with its issuer. */
  async #describe(challenge: string): Promise<Connector> {
    const { client_id: clientId, client_secret: clientSecret, private_key_pem: privateKey } = this.#context;
    const origin = { source: 'file', now: systemClock.now() } as const;
    const describe = (auth: object): Connector =>
      parseConnector('upstream', { url: this.#url, auth }, origin);
    if (clientId === undefined) return describe({ type: 'oauth' });
    const { issuer = await this.#findIssuer(challenge), signing_algorithm: algorithm } = this.#context;
    const type = this.#context['issuer'] === undefined ? 'client_credentials' : 'oauth';
    return describe({ type, clientId, clientSecret, privateKey, algorithm, issuer });
  }

  async #findIssuer(challenge: string): Promise<string> {
    const connector = parseConnector(
      'upstream',
      { url: this.#url, auth: { type: 'oauth' } },
      { source: 'file', now: 0 },
    );
    const { server } = await discover(
      {
        serverUrl: new URL(this.#url),
        announced: findBearerChallenge(challenge)?.resourceMetadata,
        overrides: {},
        needsPerson: false,
      },
      { fetch: this.#fetchFor(connector) },
    );
    return server.issuer;
  }
}

/** For servers nobody may sign in to. Anything but a refusal is a failure. */
export async function expectRefusal(work: () => Promise<unknown>): Promise<void> {
  const error = await work().then(
    () => new Error('it should have been refused'),
    (caught: unknown) => caught,
  );
  if (!isHubError(error, 'oauth_refused')) throw error;
}
