import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { guardResult } from './result-guard.js';

const size = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

describe('guardResult', () => {
  test('a result that fits is the same object', () => {
    const result = { content: [{ type: 'text', text: 'x' }], structuredContent: { a: 1 } };
    expect(guardResult(result, 1_000)).toEqual({
      result,
      bytes: size(result),
      warnings: [],
      tooLarge: false,
    });
  });

  test('long text is cut with a mark and a warning', () => {
    const { result, warnings, tooLarge } = guardResult(
      { content: [{ type: 'text', text: 'ä'.repeat(1_000) }] },
      500,
    );
    expect(tooLarge).toBe(false);
    expect(size(result)).toBeLessThanOrEqual(500);
    expect(result.content[0]?.['text']).toMatch(/^ä+\n\[truncated: \d+ bytes left out\]$/);
    expect(warnings).toHaveLength(1);
  });

  test('what stands beside the content goes when it takes all the room', () => {
    const content = [{ type: 'text', text: 'kept' }];
    const large = { content, isError: true, vendor: 'x'.repeat(1_000), _meta: { more: 1 } };
    expect(guardResult(large, 500)).toEqual({
      result: { content, isError: true },
      bytes: size(large),
      warnings: [expect.stringMatching(/^\d+ bytes beside the content left out$/)],
      tooLarge: false,
    });
  });

  test('binary content becomes a description', () => {
    const { result, warnings } = guardResult(
      {
        content: [
          { type: 'image', mimeType: 'image/png', data: 'A'.repeat(4_000) },
          { type: 'text', text: 'after' },
        ],
      },
      400,
    );
    expect(result.content).toEqual([
      { type: 'text', text: '[image, image/png, 3000 bytes: left out]' },
      { type: 'text', text: 'after' },
    ]);
    expect(warnings).toEqual(['image, image/png of 3000 bytes left out']);
  });

  test('S54: structured content is never cut', () => {
    const { tooLarge } = guardResult({ content: [], structuredContent: { a: 'x'.repeat(500) } }, 100);
    expect(tooLarge).toBe(true);
  });

  test('whatever the text, the outcome fits and no character is halved', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary', maxLength: 300 }), { maxLength: 8 }),
        fc.integer({ min: 300, max: 900 }),
        (texts, room) => {
          const { result } = guardResult({ content: texts.map((text) => ({ type: 'text', text })) }, room);
          expect(size(result)).toBeLessThanOrEqual(room + 150);
          for (const block of result.content)
            expect(/\p{Surrogate}/u.test(String(block['text']))).toBe(false);
        },
      ),
    );
  });
});
