import { randomBytes } from 'node:crypto';

/** A name for this process that no other has, nor had. */
export function createSelfName(): string {
  return randomBytes(6).toString('hex');
}
