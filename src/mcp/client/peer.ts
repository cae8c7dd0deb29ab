import { isObject, withoutNullMembers, type Json, type JsonObject } from '../jsonrpc/index.js';
import type { Implementation, ServerDescription } from '../model/index.js';
import {
  isImplementation,
  META_SERVER_INFO,
  metaOf,
  type LegacyRevision,
  type ModernRevision,
} from '../wire/index.js';

/** What is known of the server at the other end. */
export type Peer =
  | ({ readonly era: 'legacy'; readonly revision: LegacyRevision } & ServerDescription)
  | ({
      readonly era: 'modern';
      readonly revision: ModernRevision;
      /** For how long the server allows this description to be used. */
      readonly ttlMs: number;
    } & ServerDescription);

const NAMELESS: Implementation = { name: '', version: '' };
const LONGEST_TTL = 24 * 60 * 60 * 1000;

export function legacyPeer(revision: LegacyRevision, result: JsonObject): Peer {
  return { era: 'legacy', revision, ...describe(result, result['serverInfo']) };
}

/** Servers older than the final text name themselves in the body of the result. */
export function modernPeer(revision: ModernRevision, result: JsonObject): Peer {
  const info = metaOf(result)?.[META_SERVER_INFO] ?? result['serverInfo'];
  return { era: 'modern', revision, ttlMs: toTtl(result['ttlMs']) ?? 0, ...describe(result, info) };
}

function describe(result: JsonObject, info: Json | undefined): ServerDescription {
  const { capabilities, instructions } = result;
  return {
    info: isImplementation(info) ? info : NAMELESS,
    capabilities: isObject(capabilities) ? withoutNullMembers(capabilities) : {},
    ...(typeof instructions === 'string' && { instructions }),
  };
}

/** A time to live as it may be used: whole, not negative, at most a day. Undefined where there is none. */
export function toTtl(value: Json | undefined): number | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return Math.min(Math.max(Math.trunc(value), 0), LONGEST_TTL);
}
