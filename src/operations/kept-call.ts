import { HubError, type HubErrorCode } from '../kernel/index.js';
import { stringifyJson } from '../mcp/jsonrpc/index.js';
import type { CallResult } from '../mcp/model/index.js';

/** How a call with a key ended, as far as it is kept. */
export type KeptEnd =
  | { readonly state: 'answered'; readonly result: string }
  | {
      readonly state: 'failed';
      readonly code: HubErrorCode;
      readonly message: string;
      readonly details?: Readonly<Record<string, unknown>> | undefined;
      readonly outcomeUnknown: boolean;
    }
  /** It asked its caller something or became a task, and is answered elsewhere. */
  | { readonly state: 'open' };

export type KeptCall = {
  /** Of what was called with which arguments. */
  readonly fingerprint: string;
  readonly callId: string;
  /** The process that makes it. */
  readonly by: string;
} & ({ readonly state: 'running' } | KeptEnd);

/** As this hub wrote it, sealed. */
export function parseKept(text: string): KeptCall {
  return JSON.parse(text) as KeptCall;
}

export function answered(result: CallResult): KeptEnd {
  return { state: 'answered', result: stringifyJson(result) };
}

/** Failures after which it is certain that the upstream was not asked: the call may be made yet. */
const NOT_ASKED: ReadonlySet<HubErrorCode> = new Set<HubErrorCode>([
  'policy_denied',
  'flow_denied',
  'confirmation_required',
  'credential_required',
  'oauth_refused',
  'oauth_unavailable',
  'connector_disabled',
  'upstream_unavailable',
  'egress_denied',
  'rate_limited',
  'overloaded',
  'audit_unavailable',
  'storage_unavailable',
  'shutting_down',
]);

/** Undefined where nothing was done that could be done twice. */
export function endOf(thrown: unknown): KeptEnd | undefined {
  if (!(thrown instanceof Error)) return { state: 'open' };
  if (!(thrown instanceof HubError))
    return { state: 'failed', code: 'internal', message: 'Internal error', outcomeUnknown: true };
  const { code, message, details, outcomeUnknown } = thrown;
  if (!outcomeUnknown && NOT_ASKED.has(code)) return undefined;
  return { state: 'failed', code, message, details, outcomeUnknown };
}
