import { readFileSync, writeFileSync } from 'node:fs';
import type { AcceptedPolicies } from '../governance/index.js';

/** Kept in a file. Where that cannot be read or written the policies are read at every start. */
export function createAcceptedPolicies(path: string): AcceptedPolicies {
  return {
    isKnown(digest) {
      try {
        return readFileSync(path, 'utf8').trim() === digest;
      } catch {
        return false;
      }
    },
    remember(digest) {
      try {
        writeFileSync(path, `${digest}\n`, { mode: 0o600 });
      } catch {
        // The next start takes longer.
      }
    },
  };
}
