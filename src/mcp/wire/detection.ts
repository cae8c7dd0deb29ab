import { isObject, type ErrorObject, type Json } from '../jsonrpc/index.js';
import { HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_REVISION } from './errors.js';
import {
  isBeforeModern,
  isLegacyRevision,
  MODERN_REVISIONS,
  NEWEST_MODERN,
  type ModernRevision,
} from './revisions.js';

/** What came back for a `server/discover` probe. `status` is undefined where there is no HTTP. */
export type ProbeAnswer =
  | { readonly kind: 'result'; readonly result: Json }
  | { readonly kind: 'error'; readonly error: ErrorObject; readonly status: number | undefined }
  | { readonly kind: 'status'; readonly status: number }
  /** stdio: silence until the deadline, or the process ended. */
  | { readonly kind: 'silence' };

export type ProbeVerdict =
  | { readonly era: 'modern'; readonly revision: ModernRevision; readonly discovered: boolean }
  | { readonly era: 'legacy' }
  /** A modern server with which we share no revision. */
  | { readonly era: 'incompatible'; readonly supported: readonly string[] }
  /** The answer says nothing about the era: authorise or try again later. */
  | { readonly era: 'unknown' };

/** Numbers of releases before the revision was final. Others used them too, so only together with their data. */
const EARLY_UNSUPPORTED_REVISION = -32004;
const EARLY_MISSING_CAPABILITY = -32003;

const LEGACY: ProbeVerdict = { era: 'legacy' };
const UNKNOWN: ProbeVerdict = { era: 'unknown' };

export function judgeProbe(answer: ProbeAnswer): ProbeVerdict {
  switch (answer.kind) {
    case 'silence':
      return LEGACY;
    case 'status':
      return isNoEvidence(answer.status) ? UNKNOWN : LEGACY;
    case 'result': {
      const supported = isObject(answer.result) ? toVersions(answer.result['supportedVersions']) : undefined;
      return supported === undefined ? LEGACY : choose(supported, true);
    }
    case 'error':
      return judgeError(answer.error, answer.status);
  }
}

function judgeError(error: ErrorObject, status: number | undefined): ProbeVerdict {
  if (status !== undefined && isNoEvidence(status)) return UNKNOWN;
  const data = isObject(error.data) ? error.data : {};
  const supported = toVersions(data['supported']);
  const refusesRevision = error.code === UNSUPPORTED_REVISION || error.code === EARLY_UNSUPPORTED_REVISION;
  if (refusesRevision && supported !== undefined) return choose(supported, false);
  const complains =
    error.code === HEADER_MISMATCH ||
    error.code === MISSING_CLIENT_CAPABILITY ||
    (error.code === EARLY_MISSING_CAPABILITY && isObject(data['requiredCapabilities']));
  return complains && status === 400 ? { era: 'modern', revision: NEWEST_MODERN, discovered: false } : LEGACY;
}

function choose(supported: readonly string[], discovered: boolean): ProbeVerdict {
  const revision = MODERN_REVISIONS.find((candidate) => supported.includes(candidate));
  if (revision !== undefined) return { era: 'modern', revision, discovered };
  // A list may mix the eras: an older version that both sides speak is reached by the handshake.
  const reachable = supported.some(isLegacyRevision) || supported.every(isBeforeModern);
  return reachable ? LEGACY : { era: 'incompatible', supported };
}

function toVersions(value: Json | undefined): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.every((item) => typeof item === 'string') ? value : undefined;
}

/** An outage or a wall in front of the server. */
function isNoEvidence(status: number): boolean {
  return (
    status === 401 || status === 403 || status === 407 || status === 408 || status === 429 || status >= 500
  );
}
