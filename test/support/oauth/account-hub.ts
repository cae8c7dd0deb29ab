import { passProvider } from '../identity-provider.js';
import type { Closable } from '../resources.js';
import { startTestHub, type TestHub, type TestHubOptions } from '../start-hub.js';
import { startProtectedUpstream, type ProtectedUpstream } from './protected-upstream.js';
import { startProvider, type TestProvider } from './provider.js';

export const ALICE_KEY = 'alice-agent-key-0123456789abcdef';
export const BOB_KEY = 'bob-agent-key-0123456789abcdefgh';

export interface AccountHub {
  readonly provider: TestProvider;
  readonly upstream: ProtectedUpstream;
  readonly hub: TestHub;
  /** Of the admin API. */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<AdminReply>;
  /** Begins a sign-in as the admin and walks the provider, up to the address of the hub it leads to. */
  signIn(body?: object): Promise<string>;
  /** The whole of it. */
  connect(body?: object): Promise<Response>;
}

export interface AdminReply {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

export interface AccountHubOptions extends TestHubOptions {
  readonly credentialMode?: 'shared' | 'per_agent';
  /** Of the connector. */
  readonly auth?: (provider: TestProvider) => object;
  readonly clients?: readonly Record<string, unknown>[];
}

/** A hub whose connector `tracker` is protected by a real authorization server. */
export async function startAccountHub(
  keep: <Resource extends Closable>(resource: Resource) => Resource,
  { credentialMode = 'shared', auth = () => ({}), clients = [], config, ...options }: AccountHubOptions = {},
): Promise<AccountHub> {
  const provider = keep(await startProvider(clients));
  const upstream = keep(await startProtectedUpstream(provider));
  const hub = keep(
    await startTestHub({
      ...options,
      config: {
        connectors: {
          tracker: {
            name: 'Tracker',
            url: upstream.url,
            auth: { type: 'oauth', ...auth(provider) },
            credentialMode,
            tags: ['tickets'],
          },
        },
        agents: { alice: { keys: [ALICE_KEY] }, bob: { keys: [BOB_KEY] } },
        policies: ['all.cedar'],
        ...config,
      },
      files: { 'all.cedar': 'permit(principal, action, resource);' },
    }),
  );
  const ask: AccountHub['ask'] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${hub.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${hub.adminToken}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
    };
  };
  const signIn: AccountHub['signIn'] = async (body = {}) => {
    const begun = await ask('POST', '/connectors/tracker/connect', body);
    if (begun.status !== 200) throw new Error(`not begun: ${begun.status} ${JSON.stringify(begun.body)}`);
    return passProvider(String(begun.body['authorizationUrl']), provider.issuer);
  };
  return {
    provider,
    upstream,
    hub,
    ask,
    signIn,
    connect: async (body) => fetch(await signIn(body), { redirect: 'manual' }),
  };
}
