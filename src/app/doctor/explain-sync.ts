import { adviceForStatus, PATH_ADVICE } from './advice.js';
import { failed, type Step } from './step.js';

/** What the hub told of its own attempt. */
export interface SyncFailure {
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A sync is the whole way at once: this tells at which step it ended and what to do. */
export function explainSyncFailure(
  id: string,
  failure: SyncFailure,
  { isCommand, isPerAgent }: { readonly isCommand: boolean; readonly isPerAgent: boolean },
): Step {
  const { code, message, details } = failure;
  switch (code) {
    case 'credential_required':
      return failed(
        'auth',
        message,
        isPerAgent
          ? `Nobody has signed in yet, so there is nobody to ask as. Do so for one agent with "crosspoint connector connect ${id} --agent AGENT": its tools are listed then.`
          : `Store a credential with "crosspoint connector connect ${id}".`,
      );
    case 'oauth_refused':
    case 'oauth_unavailable':
      return failed('auth', message, `Sign in again with "crosspoint connector connect ${id}".`);
    case 'connector_disabled':
      return failed('list', message, `Switch it on with "crosspoint connector enable ${id}".`);
    case 'egress_denied':
      return failed(
        'http',
        message,
        'Private networks are open to connectors that the command line or the configuration file adds.',
      );
    case 'upstream_protocol':
      return failed(
        isCommand ? 'command' : 'era',
        message,
        isCommand ? 'Look whether the command is that of an MCP server.' : PATH_ADVICE,
      );
    case 'upstream_unavailable':
    case 'upstream_closed':
      if (isCommand)
        return failed(
          'command',
          message,
          'Try the command by hand, in the same folder and with the same variables.',
        );
      return failed('http', message, adviceForStatus(details?.['status']));
    case 'upstream_timeout':
      return failed(
        'list',
        message,
        'It is slow or hangs: look into its log, or give it more time with "timeouts" in its configuration.',
      );
    default:
      return failed('list', message, 'Look into the event log: crosspoint events');
  }
}
