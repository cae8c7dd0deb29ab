import {
  adviceForStatus,
  BROKEN_OFF_ADVICE,
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
  /** The program of a command. */
  readonly command?: string | undefined;
  /** The era that it is held to; undefined where both are tried. */
  readonly era?: 'legacy' | 'modern' | undefined;
  readonly isPerAgent: boolean;
  /** Whether it says how to show who asks. */
  readonly hasAuth?: boolean;
}

/** A sync is the whole way at once: this tells at which step it ended and what to do. */
export function explainSyncFailure(id: string, failure: SyncFailure, connector: SyncedConnector): Step {
  const { isPerAgent, hasAuth = true } = connector;
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
      return explainAnswer(failure, connector);
  }
}

const SESSION_REASONS: ReadonlySet<unknown> = new Set(['session_lost', 'MCP_SESSION_NOT_FOUND']);

/** What the upstream did, or did not do. */
function explainAnswer({ code, message, details }: SyncFailure, connector: SyncedConnector): Step {
  const { isCommand, command, era } = connector;
  switch (code) {
    case 'upstream_protocol':
      return failed(isCommand ? 'command' : 'era', message, adviceForAnswer(details, connector));
    case 'upstream_rejected':
      return era === undefined
        ? failed('list', message, REFUSED_ADVICE)
        : failed('era', message, `${eraAdvice(era)} Else: ${REFUSED_ADVICE}`);
    case 'upstream_too_large':
      return failed('list', message, SIZE_ADVICE);
    case 'upstream_closed':
      if (!isCommand)
        return failed(
          'http',
          message,
          SESSION_REASONS.has(details?.['reason']) ? SESSION_ADVICE : BROKEN_OFF_ADVICE,
        );
      return failed('command', message, adviceForCommand(details, command));
    case 'upstream_unavailable':
      if (!isCommand) return failed('http', message, adviceForStatus(details?.['status']));
      return failed('command', message, adviceForCommand(details, command));
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

function adviceForCommand(details: SyncFailure['details'], command: string | undefined): string {
  if (details?.['reason'] === 'STDIO_PIN_BROKEN')
    return 'Find out who changed the file and why. If it is as it should be, set its new SHA-256 in "pins" of the connector.';
  if (details?.['reason'] !== 'STDIO_SPAWN_FAILED')
    return 'Try the command by hand, in the same folder and with the same variables. It is given few of those that the hub has: what else it needs must stand in "env" of the connector.';
  const split =
    command !== undefined && /\s/.test(command)
      ? 'What stands behind the name of the program belongs in "args" of the connector, each argument by itself. Else look'
      : 'Look';
  return `${split} whether it is installed for the user who runs the hub, who must be allowed to execute it, whether it is found in the PATH of the hub, and whether its folder is there.`;
}

function eraAdvice(era: 'legacy' | 'modern'): string {
  return `The connector says "era: ${era}", so the other one is not tried: take that away, or set it to auto.`;
}

const SILENT_ADVICE =
  'It runs and does not answer. Look whether it is an MCP server that speaks over stdio, and writes nothing else to its standard output; some want an argument for that. If it is slow, as package runners are the first time, give it more time with "timeouts" in its configuration.';

/** What to do about an answer that the protocol does not allow, by the closest reason that is known. */
function adviceForAnswer(details: SyncFailure['details'], { isCommand, era }: SyncedConnector): string {
  switch (details?.['reason']) {
    case 'incompatible_version':
      return era === undefined ? VERSION_ADVICE : eraAdvice(era);
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
