import { HubError } from '../../kernel/index.js';
import type { MasterKeys } from '../../storage/index.js';
import type { KeyPlace } from './key-place.js';
import { createFirstKey, parseKeyRing } from './key-ring.js';

/** The keys of a place; the first start makes one. */
export function openMasterKeys(place: KeyPlace): MasterKeys {
  const text = place.read();
  if (text !== undefined) return parse(text, place);
  if (place.write === undefined) throw missing(place);
  place.write(createFirstKey());
  // What was really kept counts: a keychain may have lost it, another process may have been first.
  return requireMasterKeys(place);
}

/** The keys as they are. One that was made now would open nothing. */
export function requireMasterKeys(place: KeyPlace): MasterKeys {
  const text = place.read();
  if (text === undefined) throw missing(place);
  return parse(text, place);
}

function parse(text: string, place: KeyPlace): MasterKeys {
  if (text.trim() === '')
    throw new HubError(
      'config_invalid',
      `${place.name} is empty: restore it, or remove it to have a new one made`,
    );
  return parseKeyRing(text, place.name);
}

function missing({ name }: KeyPlace): HubError {
  return new HubError(
    'config_invalid',
    `there is no master key: put the hub's own at ${name}, or set CROSSPOINT_MASTER_KEY`,
  );
}
