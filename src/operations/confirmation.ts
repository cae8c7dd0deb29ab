import { hashOf, type ToolEntry } from '../catalog/index.js';
import type { Decision, PolicyEngine } from '../governance/index.js';
import { cutText, HubError } from '../kernel/index.js';
import { stringifyJson, type JsonObject } from '../mcp/jsonrpc/index.js';
import { supportsElicitation, type InputRequest } from '../mcp/model/index.js';
import type { ToolCall } from './call-tool.js';
import { OWN_KEYS } from './rounds.js';
import { Suspended } from './suspended.js';

const KEY = `${OWN_KEYS}confirmation`;
const MOST_SHOWN = 1_000;
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/**
 * Has a call confirmed that the policy allows only then. The consent is for this agent, connector, tool and these
 * arguments under these policies, and for one call: whoever answers by calling again brings a state that says what was
 * asked, which the protocol library seals for this request, for a limited time, and opens once.
 *
 * Returns what the consent is for; throws where there is none.
 */
export async function requireConfirmation(
  policy: Pick<PolicyEngine, 'digest'>,
  decision: Decision,
  call: ToolCall,
  entry: ToolEntry,
  isContinued: boolean,
): Promise<string> {
  const subject = hashOf([
    policy.digest,
    call.agent.id,
    entry.connector.id,
    entry.tool.name,
    call.args ?? {},
  ]);
  const question = toQuestion(`${decision.reason} Call ${call.exposedName}?${shownArguments(call.args)}`);
  const { rounds, options } = call;
  if (rounds !== undefined && supportsElicitation(rounds.asks.capabilities, 'form')) {
    const { confirmed, asked } = rounds.state ?? {};
    if (isContinued && confirmed === subject) return subject;
    const answer = rounds.responses[KEY];
    if (asked !== subject || answer === undefined) {
      const sentAway: unknown = new Suspended({ [KEY]: question }, { asked: subject });
      throw sentAway;
    }
    if (answer['action'] === 'accept') return subject;
    throw refused();
  }
  if (options.ask !== undefined && supportsElicitation(options.capabilities ?? {}, 'form')) {
    const answer = await options.ask(question, options.signal ?? new AbortController().signal);
    if (answer?.['action'] === 'accept') return subject;
    throw refused();
  }
  throw new HubError(
    'confirmation_required',
    `This call needs confirmation (${decision.reason}), and the client cannot ask for it`,
  );
}

function refused(): HubError {
  return new HubError('policy_denied', 'The call was not confirmed', {
    details: { reason: 'not confirmed' },
  });
}

/** Whoever consents sees to what. Characters that hide or turn round others are spelled out. */
function shownArguments(args: JsonObject = {}): string {
  if (Object.keys(args).length === 0) return '';
  const text = stringifyJson(args).replace(
    UNSEEN,
    // Written as JSON would, by halves where a character has two.
    (character) =>
      character
        .split('')
        .map((half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`)
        .join(''),
  );
  return `\nArguments: ${text.length > MOST_SHOWN ? `${cutText(text, MOST_SHOWN)}… (${text.length} characters)` : text}`;
}

function toQuestion(message: string): InputRequest {
  const requestedSchema = { type: 'object', properties: {}, required: [] };
  return { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } };
}
