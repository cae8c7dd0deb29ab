import type { CallOutcome } from '../governance/index.js';
import { HubError, type HubErrorCode } from '../kernel/index.js';
import { ProtocolError } from '../mcp/jsonrpc/index.js';

/** How a call ended, as it stands in the event log. */
export interface Ending {
  readonly outcome: CallOutcome;
  readonly error?: HubErrorCode;
}

/** How a failed call stands in the event log. */
export function failureOf(error: unknown): Ending {
  if (!(error instanceof HubError)) return { outcome: 'failed', error: 'internal' };
  return { outcome: outcomeOf(error), error: error.code };
}

/** The code that the upstream itself answered with. */
export function answeredCode(error: unknown): number | undefined {
  return error instanceof HubError && error.cause instanceof ProtocolError ? error.cause.code : undefined;
}

function outcomeOf(error: HubError): CallOutcome {
  switch (error.code) {
    case 'unknown_tool':
    case 'unknown_prompt':
    case 'unknown_resource':
    case 'policy_denied':
    case 'flow_denied':
    case 'confirmation_required':
    case 'rate_limited':
      return 'denied';
    case 'arguments_invalid':
    case 'arguments_too_large':
      return 'invalid';
    case 'cancelled':
      return 'cancelled';
    default:
      return error.outcomeUnknown ? 'outcome_unknown' : 'failed';
  }
}
