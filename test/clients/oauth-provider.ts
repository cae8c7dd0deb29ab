import type { OAuthClientProvider as V1Provider } from '@modelcontextprotocol/sdk/client/auth.js';
import type { OAuthClientProvider as V2Provider } from '@modelcontextprotocol/client';
import { answerConsent, openConsent, signIn } from '../support/oauth-client.js';
import type { FormBrowser } from '../support/sign-in.js';
import type { TestHub } from '../support/start-hub.js';

/** What both SDKs ask of a program that signs in: it keeps things, and opens a browser. */
export class MemoryProvider {
  readonly redirectUrl = 'http://127.0.0.1:8976/callback';
  /** Where the browser was sent to, and what came back. */
  readonly visited: URL[] = [];
  callback: URL | undefined;
  readonly #hub: TestHub;
  readonly #browser: FormBrowser;
  readonly #kept = new Map<string, unknown>();

  private constructor(hub: TestHub, browser: FormBrowser) {
    this.#hub = hub;
    this.#browser = browser;
  }

  static async create(hub: TestHub, secret: string): Promise<MemoryProvider> {
    return new MemoryProvider(hub, await signIn(hub, secret));
  }

  get clientMetadata() {
    return {
      client_name: 'Official SDK',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
    };
  }

  /** Both SDKs hand in what they want back. */
  asV1(): V1Provider {
    return this.#provider() as V1Provider;
  }

  asV2(): V2Provider {
    return this.#provider() as V2Provider;
  }

  get tokens(): { access_token: string; refresh_token?: string } | undefined {
    return this.#kept.get('tokens') as never;
  }

  set tokens(tokens) {
    this.#kept.set('tokens', tokens);
  }

  #provider() {
    const kept = this.#kept;
    return {
      redirectUrl: this.redirectUrl,
      clientMetadata: this.clientMetadata,
      clientInformation: () => kept.get('client'),
      saveClientInformation: (client: unknown) => void kept.set('client', client),
      tokens: () => kept.get('tokens'),
      saveTokens: (tokens: unknown) => void kept.set('tokens', tokens),
      codeVerifier: () => kept.get('verifier'),
      saveCodeVerifier: (verifier: unknown) => void kept.set('verifier', verifier),
      saveDiscoveryState: (state: unknown) => void kept.set('discovery', state),
      discoveryState: () => kept.get('discovery'),
      redirectToAuthorization: (url: URL) => this.#visit(url),
    };
  }

  /** The person opens the address, allows it, and their browser is sent back to the program. */
  async #visit(url: URL): Promise<void> {
    this.visited.push(url);
    this.callback = await allow(this.#hub, this.#browser, url);
  }
}

export async function allow(hub: TestHub, browser: FormBrowser, url: URL): Promise<URL> {
  const { response, page } = await openConsent(hub, browser, { path: url.pathname + url.search });
  const location = response.headers.get('location');
  return location === null ? answerConsent(hub, browser, page) : new URL(location);
}
