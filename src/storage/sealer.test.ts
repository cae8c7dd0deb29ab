import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { createSealer } from './sealer.js';

const key = { id: 'k1', key: randomBytes(32) };
const other = { id: 'k2', key: randomBytes(32) };
const place = { table: 'credentials', record: 'linear', field: 'sealed' };

describe('a sealer', () => {
  const sealer = createSealer({ active: key });

  test('opens what it sealed, whatever it was', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.constantFrom('', '\0', 'ü中🧪\u202E', 'x'.repeat(100_000))),
        (text) => {
          expect(sealer.open(sealer.seal(text, place), place)).toBe(text);
        },
      ),
      { numRuns: 100 },
    );
  });

  test('never seals a value the same way twice, and shows nothing of it', () => {
    const sealed = Array.from({ length: 50 }, () => sealer.seal('a secret value', place));
    expect(new Set(sealed).size).toBe(50);
    for (const text of sealed)
      expect(Buffer.from(text.split('.')[2] ?? '', 'base64url').includes('secret')).toBe(false);
  });

  test.each([
    ['another table', { ...place, table: 'connectors' }],
    ['another record', { ...place, record: 'linear2' }],
    ['another field', { ...place, field: 'other' }],
    ['the same letters cut elsewhere', { table: 'credential', record: 'slinear', field: 'sealed' }],
  ])('does not open a value in %s', (_, elsewhere) => {
    expect(() => sealer.open(sealer.seal('x', place), elsewhere)).toThrow(
      expect.objectContaining({ code: 'internal' }),
    );
  });

  test('does not open a value of which any byte was changed', () => {
    const sealed = sealer.seal('value', place);
    const [format = '', id = '', encoded = ''] = sealed.split('.');
    const bytes = Buffer.from(encoded, 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => sealer.open(`${format}.${id}.${changed.toString('base64url')}`, place)).toThrow(
        expect.objectContaining({ code: 'internal' }),
      );
    }
  });

  test.each(['', 'x', 'cp1.k1', 'cp1.k1.', 'cp1.k1.AAAA', 'cp2.k1.AAAA', 'cp1.k1.AAAA.BBBB'])(
    'does not open %j',
    (text) => {
      expect(() => sealer.open(text, place)).toThrow(expect.objectContaining({ code: 'internal' }));
    },
  );

  test('says nothing of the value or the key in its errors', () => {
    try {
      sealer.open(sealer.seal('hunter2', place), { ...place, record: 'x' });
      expect.unreachable();
    } catch (error) {
      expect(JSON.stringify(error) + String(error)).not.toMatch(/hunter2/);
    }
  });
});

describe('several keys', () => {
  test('are all read, one writes', () => {
    const before = createSealer({ active: key });
    const during = createSealer({ active: other, retired: [key] });
    const after = createSealer({ active: other });
    const old = before.seal('x', place);
    expect(during.open(old, place)).toBe('x');
    const renewed = during.seal('x', place);
    expect(renewed.split('.')[1]).toBe('k2');
    expect(after.open(renewed, place)).toBe('x');
    expect(() => after.open(old, place)).toThrow(
      expect.objectContaining({ code: 'internal', details: { keyId: 'k1' } }),
    );
    expect(() => before.open(renewed, place)).toThrow(expect.objectContaining({ code: 'internal' }));
    expect([during.knows('k1'), during.knows('k2'), during.knows('k3')]).toEqual([true, true, false]);
  });

  test('a key under another id does not open', () => {
    const renamed = createSealer({ active: { id: 'k1', key: other.key } });
    expect(() => renamed.open(createSealer({ active: key }).seal('x', place), place)).toThrow(
      expect.objectContaining({ code: 'internal' }),
    );
  });

  test('a key may be wiped after it was given', () => {
    const given = Buffer.from(key.key);
    const sealer = createSealer({ active: { id: 'k1', key: given } });
    const sealed = sealer.seal('x', place);
    given.fill(0);
    expect(sealer.open(sealed, place)).toBe('x');
  });
});
