import { MIN_KEY_LENGTH } from '../../agents/index.js';
import { HubError, Secret } from '../../kernel/index.js';

/** Of a random text of the shortest length, fewer different characters are as good as impossible. */
const MIN_DISTINCT = 8;
/** A part that is shorter and stands there again and again was not made by chance. */
const MIN_PART = 16;
/** What stands in examples until somebody puts a secret there. */
const SAMPLE = /change[-_ ]?(?:me|this)|replace[-_ ]?(?:me|this|with)|placeholder/i;

/** A secret an operator chose, if nobody will guess it. */
export function requireStrong(value: string, what: string): Secret {
  if (value.length < MIN_KEY_LENGTH)
    throw new HubError('config_invalid', `${what} is too short: at least ${MIN_KEY_LENGTH} characters`);
  if (isGuessable(value))
    throw new HubError('config_invalid', `${what} is too easy to guess: it must be random`);
  return new Secret(value);
}

function isGuessable(value: string): boolean {
  return new Set(value).size < MIN_DISTINCT || repeats(value) || SAMPLE.test(value);
}

/** Whether it is nothing but one short part, at least twice. */
function repeats(value: string): boolean {
  const longest = Math.min(MIN_PART - 1, Math.floor(value.length / 2));
  for (let length = 1; length <= longest; length++) if (value.startsWith(value.slice(length))) return true;
  return false;
}
