import { expect, test } from 'vitest';
import {
  isLogLevel,
  LOG_LEVELS,
  reachesLevel,
  supportsElicitation,
  type ClientCapabilities,
} from './index.js';

test.each<[ClientCapabilities, boolean, boolean]>([
  [{}, false, false],
  [{ elicitation: {} }, true, false],
  [{ elicitation: { form: {} } }, true, false],
  [{ elicitation: { url: {} } }, false, true],
  [{ elicitation: { form: {}, url: {} } }, true, true],
])('%j supports forms: %j, URLs: %j', (capabilities, form, url) => {
  expect(supportsElicitation(capabilities, 'form')).toBe(form);
  expect(supportsElicitation(capabilities, 'url')).toBe(url);
});

test('a capability that is no object is none', () => {
  for (const elicitation of [null, true, 'form', [], 7]) {
    expect(supportsElicitation({ elicitation } as unknown as ClientCapabilities, 'form')).toBe(false);
  }
});

test('levels are in order, and nothing else is one', () => {
  for (const [i, level] of LOG_LEVELS.entries()) {
    expect(isLogLevel(level)).toBe(true);
    expect(LOG_LEVELS.filter((threshold) => reachesLevel(level, threshold))).toEqual(
      LOG_LEVELS.slice(0, i + 1),
    );
  }
  for (const other of ['', 'warn', 'INFO', 0, null, undefined, ['info']])
    expect(isLogLevel(other)).toBe(false);
});
