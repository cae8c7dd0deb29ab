import { createECDH, createHash, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto';
import type { Clock } from '../../kernel/index.js';

/** A private key as JWK (RFC 7518, section 6.2). */
export interface SigningKey {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly alg: 'ES256';
  readonly use: 'sig';
  readonly kid: string;
  readonly x: string;
  readonly y: string;
  readonly d: string;
}

export interface SigningKeys {
  /** The keys of now: the one to sign with, the one before it, the one after it. The same object while none changes. */
  current(): Promise<readonly SigningKey[]>;
  /** For checking a signature. */
  findPublic(kid: string | undefined): Promise<KeyObject | undefined>;
}

export interface SigningKeysOptions {
  /** 32 secret bytes by name, the same for every process on the store. */
  readonly secrets: { require(name: string): Promise<Buffer> };
  readonly clock: Clock;
}

/** Each key signs for this long. Those who keep our keys see the next one long before it is used. */
export const KEY_PERIOD_MS = 30 * 24 * 60 * 60_000;

/** Keys that change with the calendar, so that all processes agree on them without a word. */
export function createSigningKeys({ secrets, clock }: SigningKeysOptions): SigningKeys {
  let known: { readonly period: number; readonly keys: Promise<readonly SigningKey[]> } | undefined;

  function current(): Promise<readonly SigningKey[]> {
    const period = Math.floor(clock.now() / KEY_PERIOD_MS);
    if (known?.period === period) return known.keys;
    const keys = Promise.all(
      [period, period - 1, period + 1].map(async (number) =>
        toSigningKey(await secrets.require(`oauth-signing-${number}`)),
      ),
    );
    known = { period, keys };
    // What failed is tried again by the next who asks.
    keys.catch(() => {
      if (known?.keys === keys) known = undefined;
    });
    return keys;
  }

  return {
    current,
    async findPublic(kid) {
      const key = (await current()).find((one) => one.kid === kid);
      if (key === undefined) return undefined;
      const { kty, crv, x, y } = key;
      return createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' });
    },
  };
}

function toSigningKey(secret: Buffer): SigningKey {
  const ecdh = createECDH('prime256v1');
  const d = toScalar(secret);
  ecdh.setPrivateKey(d);
  const point = ecdh.getPublicKey();
  const [x, y] = [point.subarray(1, 33), point.subarray(33, 65)].map((part) => part.toString('base64url'));
  const [publicX = '', publicY = ''] = [x, y];
  // RFC 7638: members in this order.
  const thumbprint = JSON.stringify({ crv: 'P-256', kty: 'EC', x: publicX, y: publicY });
  return {
    kty: 'EC',
    crv: 'P-256',
    alg: 'ES256',
    use: 'sig',
    kid: createHash('sha256').update(thumbprint).digest('base64url'),
    x: publicX,
    y: publicY,
    d: d.toString('base64url'),
  };
}

const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** A number from 1 to below the order of the curve, evenly enough: 48 bytes are reduced to 32. */
function toScalar(secret: Buffer): Buffer {
  const wide = Buffer.from(hkdfSync('sha256', secret, '', 'crosspoint oauth signing key', 48));
  const scalar = (BigInt(`0x${wide.toString('hex')}`) % (ORDER - 1n)) + 1n;
  return Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex');
}
