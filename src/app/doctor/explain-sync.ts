import {
  adviceForStatus,
  PAGE_ADVICE,
  PAGES_ADVICE,
  PATH_ADVICE,
  REDIRECT_ADVICE,
  REFUSED_ADVICE,
  SESSION_ADVICE,
  SIZE_ADVICE,
  VERSION_ADVICE,
} from './advice.js';
import { failed, type Step } from './step.js';

/** What the hub told of its own attempt. */
export interface SyncFailure {
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** As much of a connector as decides what can be done. */
export interface SyncedConnector {
  readonly isCommand: boolean;
  readonly isPerAgent: boolean;
  /** Whether it says how to show who asks. */
  readonly hasAuth?: boolean;
}

/** A sync is the whole way at once: this tells at which step it ended and what to do. */
export function explainSyncFailure(
  id: string,
  failure: SyncFailure,
  { isCommand, isPerAgent, hasAuth = true }: SyncedConnector,
): Step {
  const { code, message } = failure;
  switch (code) {
    case 'credential_required':
      if (!hasAuth)
        return failed(
          'auth',
          message,
          'The connector has no "auth". In a file, set it; else remove the connector and add it again with --bearer-env, --api-key-env, --header or --oauth.',
        );
      return failed(
        'auth',
        message,
        isPerAgent
          ? `Ask as an agent that has signed in, with "crosspoint connector sync ${id} --agent AGENT". If none has yet, do so for one with "crosspoint connector connect ${id} --agent AGENT": its tools are listed then.`
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
    default:
      return explainAnswer(failure, isCommand);
  }
}

const SESSION_REASONS: ReadonlySet<unknown> = new Set(['session_lost', 'MCP_SESSION_NOT_FOUND']);

/** What the upstream did, or did not do. */
function explainAnswer({ code, message, details }: SyncFailure, isCommand: boolean): Step {
  switch (code) {
    case 'upstream_protocol':
      return failed(isCommand ? 'command' : 'era', message, adviceForAnswer(details, isCommand));
    case 'upstream_rejected':
      return failed('list', message, REFUSED_ADVICE);
    case 'upstream_too_large':
      return failed('list', message, SIZE_ADVICE);
    case 'upstream_unavailable':
    case 'upstream_closed':
      if (isCommand) return failed('command', message, adviceForCommand(details));
      return failed(
        'http',
        message,
        SESSION_REASONS.has(details?.['reason']) ? SESSION_ADVICE : adviceForStatus(details?.['status']),
      );
    case 'upstream_timeout':
      if (isCommand) return failed('command', message, SILENT_ADVICE);
      return failed(
        'list',
        message,
        'It is slow or hangs: look into its log, or give it more time with "timeouts" in its configuration.',
      );
    default:
      return failed('list', message, 'Look into the event log: crosspoint events');
  }
}

function adviceForCommand(details: SyncFailure['details']): string {
  if (details?.['reason'] === 'STDIO_PIN_BROKEN')
    return 'Find out who changed the file and why. If it is as it should be, set its new SHA-256 in "pins" of the connector.';
  return details?.['reason'] === 'STDIO_SPAWN_FAILED'
    ? 'Look whether it is installed for the user who runs the hub, who must be allowed to execute it, whether it is found in the PATH of the hub, and whether its folder is there.'
    : 'Try the command by hand, in the same folder and with the same variables.';
}

const SILENT_ADVICE =
  'It runs and does not answer. Look whether it is an MCP server that speaks over stdio, and writes nothing else to its standard output; some want an argument for that. If it is slow, as package runners are the first time, give it more time with "timeouts" in its configuration.';

/** What to do about an answer that the protocol does not allow, by the closest reason that is known. */
function adviceForAnswer(details: SyncFailure['details'], isCommand: boolean): string {
  switch (details?.['reason']) {
    case 'incompatible_version':
      return VERSION_ADVICE;
    case 'cursor_repeated':
    case 'page_limit':
      return PAGES_ADVICE;
    case 'HTTP_NOT_ACCEPTABLE':
      return adviceForStatus(406);
    case 'HTTP_SESSION_REQUIRED':
      return adviceForStatus(400);
    case 'HTTP_REDIRECT':
      return REDIRECT_ADVICE;
    case 'HTTP_WRONG_CONTENT_TYPE':
      return PAGE_ADVICE;
    default:
      return isCommand ? 'Look whether the command is that of an MCP server.' : PATH_ADVICE;
  }
}
