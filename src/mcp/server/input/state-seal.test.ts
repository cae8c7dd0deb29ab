import fc from 'fast-check';
import { expect, test } from 'vitest';
import { requestContext } from './request-digest.js';
import { createStateSeal } from './state-seal.js';

test('what was sealed comes back, and looks like nothing in between', () => {
  const seal = createStateSeal();
  const state = { answers: { a: { action: 'accept' } }, deep: [1, null, 'secret-word'] };
  const text = seal.seal(state, 'context');
  expect(text).toMatch(/^s1\.[A-Za-z0-9_-]+$/);
  expect(Buffer.from(text.slice(3), 'base64url').toString('latin1')).not.toContain('secret-word');
  expect(seal.open(text, 'context')).toEqual(state);
});

test('equal states look different', () => {
  const seal = createStateSeal();
  expect(seal.seal(1, 'c')).not.toBe(seal.seal(1, 'c'));
});

test('no change of a single character goes unnoticed', () => {
  const seal = createStateSeal({ singleUse: false });
  const text = seal.seal({ a: 1 }, 'c');
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
      const changed = text.slice(0, at) + character + text.slice(at + 1);
      expect(seal.open(changed, 'c')).toEqual(changed === text ? { a: 1 } : undefined);
    }),
  );
});

test.each(['', 's1.', 's1.AAAA', 'x', 's1.!!!!'])('%j is nothing', (text) => {
  expect(createStateSeal().open(text, 'c')).toBeUndefined();
});

test('another context, another key', () => {
  const seal = createStateSeal();
  expect(seal.open(seal.seal(1, 'c'), 'd')).toBeUndefined();
  expect(createStateSeal().open(seal.seal(1, 'c'), 'c')).toBeUndefined();
  expect(() => createStateSeal({ key: new Uint8Array(16) })).toThrow(TypeError);
});

test('opens once; what is remembered of it is bounded', () => {
  let now = 0;
  const seal = createStateSeal({ maxUsed: 2, lifetimeMs: 10, clock: () => now });
  const texts = [1, 2, 3].map((n) => seal.seal(n, 'c'));
  expect(texts.map((text) => seal.open(text, 'c'))).toEqual([1, 2, 3]);
  expect(seal.open(texts[2] ?? '', 'c')).toBeUndefined();
  // The oldest was pushed out; time, not memory, ends what can be opened for good.
  now = 10;
  expect(seal.open(texts[0] ?? '', 'c')).toBeUndefined();
  const again = createStateSeal({ singleUse: false });
  const text = again.seal(1, 'c');
  expect([again.open(text, 'c'), again.open(text, 'c')]).toEqual([1, 1]);
});

test('a failed attempt does not use the text up', () => {
  const seal = createStateSeal();
  const text = seal.seal(1, 'c');
  expect(seal.open(text, 'd')).toBeUndefined();
  expect(seal.open(text, 'c')).toBe(1);
});

test('a request is recognised by who asks for what, whatever the order of its members', () => {
  const context = (args: object, principal = 'p', method = 'tools/call'): string =>
    requestContext(principal, method, { name: 'n', arguments: args as never, other: 1 });
  expect(context({ a: 1, b: { c: 1, d: 2 } })).toBe(context({ b: { d: 2, c: 1 }, a: 1 }));
  expect(context({ a: [1, 2] })).not.toBe(context({ a: [2, 1] }));
  expect(context({ a: 1 })).not.toBe(context({ a: '1' }));
  expect(context({})).not.toBe(context({}, 'q'));
  expect(context({})).not.toBe(context({}, 'p', 'prompts/get'));
  expect(requestContext('p', 'm', { name: 'x' })).not.toBe(requestContext('p', 'm', { uri: 'x' }));
});
