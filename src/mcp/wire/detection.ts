import { isObject, type ErrorObject, type Json } from '../jsonrpc/index.js';
import { HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_REVISION } from './errors.js';
import { isModernRevision, MODERN_REVISIONS, type ModernRevision } from './revisions.js';

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
  // Recognised by its data: the same numbers have had other meanings.
  const supported = isObject(error.data) ? toVersions(error.data['supported']) : undefined;
  if (supported !== undefined && (error.code === UNSUPPORTED_REVISION || error.code === -32004)) return choose(supported, false);
  const recognised = error.code === HEADER_MISMATCH || error.code === MISSING_CLIENT_CAPABILITY;
  return recognised && status === 400 ? { era: 'modern', revision: MODERN_REVISIONS[0], discovered: false } : LEGACY;
}

function choose(supported: readonly string[], discovered: boolean): ProbeVerdict {
  const revision = MODERN_REVISIONS.find((candidate) => supported.includes(candidate));
  if (revision !== undefined) return { era: 'modern', revision, discovered };
  const anyModern = supported.some((version) => isModernRevision(version) || version > MODERN_REVISIONS[0]);
  return anyModern ? { era: 'incompatible', supported } : LEGACY;
}

function toVersions(value: Json | undefined): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.every((item) => typeof item === 'string') ? (value as readonly string[]) : undefined;
}

/** An outage or a wall in front of the server. */
function isNoEvidence(status: number): boolean {
  return status === 401 || status === 403 || status === 407 || status === 408 || status === 429 || status >= 500;
}
