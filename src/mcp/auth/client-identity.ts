import { createPrivateKey, webcrypto, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { ClientAuth } from 'oauth4webapi';
import { refused } from './auth-failure.js';

/** How a client proves at the token endpoint who it is. */
export type TokenAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';

export type ClientIdentity = { readonly clientId: string } & (
  | { readonly method: 'none' }
  | { readonly method: 'client_secret_basic' | 'client_secret_post'; readonly secret: string }
  | {
      readonly method: 'private_key_jwt';
      /** PEM (PKCS #8) or JWK. */
      readonly privateKey: string;
      readonly keyId: string | undefined;
      readonly algorithm: string | undefined;
    }
);

/** The first of ours that the server understands; a server that does not say understands Basic (RFC 8414 section 2). */
export function chooseAuthMethod(
  ours: readonly TokenAuthMethod[],
  supported: readonly string[] | undefined,
): TokenAuthMethod | undefined {
  return ours.find((method) => (supported ?? ['client_secret_basic']).includes(method));
}

export async function toClientAuth(identity: ClientIdentity): Promise<ClientAuth> {
  const library = await import('oauth4webapi');
  switch (identity.method) {
    case 'none':
      return library.None();
    case 'client_secret_basic':
      return basicAuth(identity.secret);
    case 'client_secret_post':
      return library.ClientSecretPost(identity.secret);
    case 'private_key_jwt': {
      const { key, algorithm } = await importKey(identity.privateKey, identity.algorithm);
      const signer = identity.keyId === undefined ? { key } : { key, kid: identity.keyId };
      return library.PrivateKeyJwt(signer, {
        [library.modifyAssertion]: (header) => {
          header['alg'] = algorithm;
        },
      });
    }
  }
}

/**
 * Form-encoded (RFC 6749 section 2.3.1) and no more: servers that forget to decode then still see ordinary identifiers
 * as they are, which the library's encoding of every punctuation mark would spoil.
 */
function basicAuth(secret: string): ClientAuth {
  const encode = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);
  return (_server, client, _body, headers) => {
    const pair = `${encode(client.client_id)}:${encode(secret)}`;
    headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
  };
}

type Import = Parameters<typeof webcrypto.subtle.importKey>[2];

const ALGORITHMS: Readonly<Record<string, Import>> = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  ES384: { name: 'ECDSA', namedCurve: 'P-384' },
  ES512: { name: 'ECDSA', namedCurve: 'P-521' },
  EdDSA: { name: 'Ed25519' },
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  RS384: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-384' },
  RS512: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-512' },
  PS256: { name: 'RSA-PSS', hash: 'SHA-256' },
};

/** What keys sign with where the operator does not say. */
const USUAL: Readonly<Record<string, string>> = {
  rsa: 'RS256',
  ed25519: 'EdDSA',
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

async function importKey(
  text: string,
  wanted: string | undefined,
): Promise<{ readonly key: webcrypto.CryptoKey; readonly algorithm: string }> {
  const key = readKey(text);
  const kind = key.asymmetricKeyDetails?.namedCurve ?? key.asymmetricKeyType ?? '';
  const algorithm = wanted ?? USUAL[kind] ?? '';
  const how = ALGORITHMS[algorithm];
  if (how === undefined) throw refused("the client's private key is of a kind that is not supported");
  const der = key.export({ type: 'pkcs8', format: 'der' });
  try {
    return { key: await webcrypto.subtle.importKey('pkcs8', der, how, false, ['sign']), algorithm };
  } catch {
    throw refused("the client's private key does not fit its algorithm");
  }
}

/** Errors of the parser are not kept: what they were given is a secret. */
function readKey(text: string): KeyObject {
  try {
    return text.trimStart().startsWith('{')
      ? createPrivateKey({ key: JSON.parse(text) as JsonWebKey, format: 'jwk' })
      : createPrivateKey(text);
  } catch {
    throw refused("the client's private key cannot be read: PEM (PKCS #8) or JWK is expected");
  }
}
