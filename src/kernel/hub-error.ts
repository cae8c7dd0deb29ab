/** Everything that can go wrong in the hub, by name. How each looks outside is written in `edge/error-faces.ts`. */
export const HUB_ERROR_CODES = [
  'invalid_request',
  'request_too_large',
  'unsupported_media_type',
  'method_not_allowed',
  'not_supported',
  'unauthenticated',
  'forbidden',
  'not_found',
  'conflict',
  'precondition_failed',
  'unknown_tool',
  'unknown_prompt',
  'unknown_resource',
  'invalid_cursor',
  'policy_denied',
  'flow_denied',
  'confirmation_required',
  'arguments_invalid',
  'arguments_too_large',
  'credential_required',
  'oauth_refused',
  'oauth_unavailable',
  'connector_disabled',
  'upstream_unavailable',
  'upstream_timeout',
  'upstream_closed',
  'upstream_protocol',
  'upstream_too_large',
  'upstream_rejected',
  'egress_denied',
  'result_too_large',
  'output_invalid',
  'rate_limited',
  'overloaded',
  'audit_unavailable',
  'shutting_down',
  'cancelled',
  'config_invalid',
  'storage_unavailable',
  'internal',
] as const;

export type HubErrorCode = (typeof HUB_ERROR_CODES)[number];

export interface HubErrorOptions {
  readonly cause?: unknown;
  /** Safe to show to whoever asked. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly retryAfterMs?: number;
  /** For calls: the upstream may have acted although we have no answer. */
  readonly outcomeUnknown?: boolean;
}

export class HubError extends Error {
  override readonly name = 'HubError';
  readonly code: HubErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfterMs: number | undefined;
  readonly outcomeUnknown: boolean;

  constructor(code: HubErrorCode, message: string, options: HubErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details;
    // What is left of a while is measured in fractions; nobody wants to read them, and early is too early.
    this.retryAfterMs = options.retryAfterMs === undefined ? undefined : Math.ceil(options.retryAfterMs);
    this.outcomeUnknown = options.outcomeUnknown ?? false;
  }
}

/** What somebody sent cannot be taken because of one field. */
export function invalidField(field: string, problem: string): HubError {
  return new HubError('invalid_request', `${field}: ${problem}`, { details: { field } });
}

export function isHubError(error: unknown, code?: HubErrorCode): error is HubError {
  return error instanceof HubError && (code === undefined || error.code === code);
}
