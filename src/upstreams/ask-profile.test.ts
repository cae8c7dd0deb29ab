import { expect, test } from 'vitest';
import type { ClientCapabilities } from '../mcp/model/index.js';
import { ASK_EVERYTHING, ASK_NOTHING, askProfileOf, withoutRoots } from './ask-profile.js';

test.each<[ClientCapabilities, ClientCapabilities | undefined]>([
  [{}, undefined],
  [{ extensions: { 'x/y': {} } }, undefined],
  [{ elicitation: {} }, { elicitation: { form: {} } }],
  [{ elicitation: { url: {} } }, { elicitation: { url: {} } }],
  [{ elicitation: { form: {}, url: {} } }, { elicitation: { form: {}, url: {} } }],
  [{ sampling: {} }, { sampling: {} }],
  [{ sampling: { tools: {}, context: {} } }, { sampling: { tools: {}, context: {} } }],
  [{ roots: { listChanged: true } }, { roots: {} }],
])('%j is asked as %j', (capabilities, asked) => {
  expect(askProfileOf(capabilities)?.capabilities).toEqual(asked);
});

test('equal abilities are one profile, different ones are not', () => {
  const one = askProfileOf({ sampling: {}, experimental: { a: {} } });
  expect(askProfileOf({ sampling: {} })).toBe(one);
  expect(askProfileOf({ sampling: {}, roots: {} })?.key).not.toBe(one?.key);
  expect(ASK_NOTHING.capabilities).toEqual({});
  expect(withoutRoots(ASK_EVERYTHING).capabilities).toEqual({
    elicitation: { form: {}, url: {} },
    sampling: { tools: {}, context: {} },
  });
});
