import { hkdfSync } from 'node:crypto';

/** Keys for single purposes, so that none can be used for another. */
export interface DerivedKeys {
  /** Seals what clients carry between two rounds of a request. */
  readonly requestState: Buffer;
}

export function deriveKeys(masterKey: Buffer): DerivedKeys {
  const derive = (purpose: string): Buffer =>
    Buffer.from(hkdfSync('sha256', masterKey, '', `crosspoint ${purpose}`, 32));
  return { requestState: derive('request state') };
}
