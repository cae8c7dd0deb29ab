import type { CallOutcome } from '../governance/index.js';
import { HubError } from '../kernel/index.js';
import type { Ending } from './call-record.js';

/** How a failed call stands in the event log. */
export function failureOf(error: unknown): Ending {
  if (!(error instanceof HubError)) return { outcome: 'failed', error: 'internal' };
  return { outcome: outcomeOf(error), error: error.code };
}

function outcomeOf(error: HubError): CallOutcome {
  switch (error.code) {
    case 'unknown_tool':
    case 'unknown_prompt':
    case 'unknown_resource':
    case 'policy_denied':
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
