import { generateKeyPairSync } from 'node:crypto';
import type * as OidcProvider from 'oidc-provider';
import { loadProvider } from '../../../src/edge/authorization-server/load-provider.js';

export interface OidcLibrary {
  readonly Provider: typeof OidcProvider.Provider;
  /** Of its own, because those it brings along come with a warning. */
  readonly jwks: NonNullable<OidcProvider.Configuration['jwks']>;
}

/** What the authorization servers of tests are made of. */
export async function loadOidcLibrary(): Promise<OidcLibrary> {
  const { Provider } = await loadProvider();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const key = { ...privateKey.export({ format: 'jwk' }), kid: 'test', alg: 'RS256', use: 'sig' };
  return { Provider, jwks: { keys: [key as OidcProvider.JWK] } };
}
