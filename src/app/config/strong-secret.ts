import { MIN_KEY_LENGTH } from '../../agents/index.js';
import { HubError, Secret } from '../../kernel/index.js';

/** Of a random text of the shortest length, fewer different characters are as good as impossible. */
const MIN_DISTINCT = 8;

/** A secret an operator chose, if nobody will guess it. */
export function requireStrong(value: string, what: string): Secret {
  if (value.length < MIN_KEY_LENGTH)
    throw new HubError('config_invalid', `${what} is too short: at least ${MIN_KEY_LENGTH} characters`);
  if (new Set(value).size < MIN_DISTINCT)
    throw new HubError('config_invalid', `${what} is too easy to guess: it must be random`);
  return new Secret(value);
}
