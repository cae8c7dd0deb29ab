import { hashOf } from '../catalog/index.js';

/** What a record was before a change or is after it, for the log. Nothing has a hash too. Secrets print alike, so none tells of them. */
export function recordHash(record: object | undefined): string {
  return hashOf(record ?? null);
}
