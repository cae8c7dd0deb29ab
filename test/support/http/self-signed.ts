import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

/** A certificate for 127.0.0.1 that signs itself, made on the spot: keys do not belong in a repository. */
export function selfSigned(): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const body = toBeSigned(publicKey);
  const signature = sign('sha256', body, privateKey);
  const certificate = sequence(
    body,
    ECDSA_WITH_SHA256,
    tagged(0x03, Buffer.concat([Buffer.from([0]), signature])),
  );
  const lines = certificate.toString('base64').replace(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

const ECDSA_WITH_SHA256 = sequence(tagged(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
const COMMON_NAME = Buffer.from('550403', 'hex');
const SUBJECT_ALT_NAME = Buffer.from('551d11', 'hex');
const BASIC_CONSTRAINTS = Buffer.from('551d13', 'hex');

function toBeSigned(publicKey: KeyObject): Buffer {
  const name = sequence(
    tagged(0x31, sequence(tagged(0x06, COMMON_NAME), tagged(0x0c, Buffer.from('test server')))),
  );
  const validity = sequence(
    tagged(0x17, Buffer.from('200101000000Z')),
    tagged(0x17, Buffer.from('491231235959Z')),
  );
  const address = sequence(tagged(0x87, Buffer.from([127, 0, 0, 1])));
  const authority = sequence(tagged(0x01, Buffer.from([0xff])));
  const extensions = sequence(
    sequence(tagged(0x06, SUBJECT_ALT_NAME), tagged(0x04, address)),
    sequence(tagged(0x06, BASIC_CONSTRAINTS), tagged(0x04, authority)),
  );
  return sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.from([1])),
    ECDSA_WITH_SHA256,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, extensions),
  );
}
