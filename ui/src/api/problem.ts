import { ApiError } from './request.js';

/** What went wrong in plain words, and what to do next. */
export interface Problem {
  readonly text: string;
  readonly next?: string;
  /** Single reasons, where the hub tells several. */
  readonly reasons: readonly string[];
}

const NEXT: Readonly<Record<string, string>> = {
  unreachable: 'Look whether the hub is running, then try again.',
  unauthenticated: 'Sign in again.',
  forbidden: 'Ask somebody with a higher role to do it.',
  csrf_required: 'Reload the page and try again.',
  conflict: 'Reload the page to see how it is now.',
  precondition_failed: 'Somebody changed it meanwhile. Reload the page, then make your change again.',
  rate_limited: 'Wait a moment, then try again.',
  policy_denied: 'Open Policies and use Explain to see which policy decided.',
  flow_denied: 'A policy forbids this after what the agent has used before. Open Policies to see which one.',
  confirmation_required:
    'A policy wants a person to confirm this call. Make it from a client that can ask, or change the policy.',
  unknown_tool: 'The agent does not see this tool. Choose another agent, or permit it under Policies.',
  arguments_invalid: 'Correct the arguments named above.',
  credential_required: 'Open the connector and store or connect a credential.',
  connector_disabled: 'Enable the connector first.',
  upstream_unauthorized: 'The stored credential is refused. Replace it on the page of the connector.',
  upstream_unavailable: 'Look whether the address is right and the server is running, then sync again.',
  upstream_timeout: 'The server took too long. Try again, or raise the time-outs of the connector.',
  egress_denied: 'The address lies in a private network. An owner can allow that under «Advanced».',
  audit_unavailable:
    'The event log cannot be written. Make room or repair the store; the hub goes on by itself.',
  storage_unavailable: 'The store cannot be used. The log of the hub has the cause.',
  overloaded: 'Wait a moment, then try again.',
  shutting_down: 'Try again when the hub is back.',
  internal: 'This is a mistake of the hub. Its log has the details.',
};

export function toProblem(error: unknown): Problem {
  if (!(error instanceof ApiError)) {
    return { text: 'Something went wrong in the console.', next: 'Reload the page.', reasons: [] };
  }
  const next = NEXT[error.code];
  return { ...toldOnce(error.message, reasonsOf(error.details)), ...(next !== undefined && { next }) };
}

/** Where the message itself tells every reason: one stays in it, several are a list below its beginning. */
function toldOnce(message: string, reasons: readonly string[]): Pick<Problem, 'text' | 'reasons'> {
  const places = reasons.map((reason) => message.indexOf(reason));
  if (reasons.length === 0 || places.includes(-1)) return { text: asSentence(message), reasons };
  const beginning = message.slice(0, Math.min(...places)).trim();
  if (reasons.length === 1 || beginning === '') return { text: asSentence(message), reasons: [] };
  return { text: asSentence(beginning), reasons };
}

function asSentence(text: string): string {
  const trimmed = text.trim();
  const capital = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?…:]$/.test(capital) ? capital : `${capital}.`;
}

function reasonsOf(details: Readonly<Record<string, unknown>>): readonly string[] {
  const { errors, issues, problems } = details;
  const list = [errors, issues, problems].find(Array.isArray) as readonly unknown[] | undefined;
  return (list ?? []).slice(0, 10).flatMap((each) => {
    if (typeof each === 'string') return [each];
    if (typeof each !== 'object' || each === null) return [];
    const { field, path, message } = each as Readonly<Record<string, unknown>>;
    const place = [field, path].find((value) => typeof value === 'string');
    if (typeof message !== 'string') return [];
    return [place === undefined ? message : `${place}: ${message}`];
  });
}
