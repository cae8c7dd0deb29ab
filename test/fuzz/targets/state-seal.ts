import { JsonError, parseJson, stringifyJson, type Json } from '../../../src/mcp/jsonrpc/index.js';
import { createStateSeal } from '../../../src/mcp/server/index.js';
import { promise, textOf, type FuzzTarget } from '../target.js';

const SEAL = createStateSeal({ key: new Uint8Array(32), singleUse: false });

/** State that clients carry: nothing opens but what was sealed, as it was sealed. */
export const STATE_SEAL: FuzzTarget = {
  name: 'state-seal',
  dictionary: ['s1.', '=', '==', '-', '_', '+', '/', ' ', 'AAAA', '{"a":1}', 'null', '1e400', '"__proto__":'],
  run(input) {
    const text = textOf(input);
    promise(SEAL.open(text, 'context') === undefined, 'what was not sealed does not open');
    const state = parse(text);
    if (state === undefined) return 'no state';
    const sealed = SEAL.seal(state, 'context');
    const opened = SEAL.open(sealed, 'context');
    promise(opened !== undefined && stringifyJson(opened) === stringifyJson(state), 'what was sealed opens');
    promise(SEAL.open(sealed, 'context ') === undefined, 'only in its own context');
    const at = input.length % sealed.length;
    const altered = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
    promise(SEAL.open(altered, 'context') === undefined, 'and only unaltered');
    promise(SEAL.open(sealed.slice(0, at), 'context') === undefined, 'and only whole');
    promise(SEAL.open(sealed + text, 'context') === undefined || text === '', 'and only without more');
    return typeof state;
  },
};

function parse(text: string): Json | undefined {
  try {
    // One level and two values are left for what is sealed with it.
    return parseJson(text, { maxDepth: 60, maxNodes: 90_000, duplicateKeys: 'refuse' });
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}
