import { describe, expect, test } from 'vitest';
import { TurnoverMap } from './turnover-map.js';

describe('TurnoverMap', () => {
  test('holds what a Map would hold, in the same order, however much passes through', () => {
    const map = new TurnoverMap<number, string>();
    const plain = new Map<number, string>();
    for (let i = 0; i < 5_000; i++) {
      map.set(i, `value ${i}`);
      plain.set(i, `value ${i}`);
      const gone = i % 7 === 0 ? i : i - 40;
      expect(map.delete(gone)).toBe(plain.delete(gone));
    }
    expect([...map]).toEqual([...plain]);
    expect([...map.keys()]).toEqual([...plain.keys()]);
    expect([...map.values()]).toEqual([...plain.values()]);
    expect(map.size).toBe(plain.size);
    expect(map.get(4_999)).toBe('value 4999');
    expect(map.has(0)).toBe(false);
  });

  test('entries may be removed while they are iterated', () => {
    const map = new TurnoverMap<number, number>();
    for (let i = 0; i < 1_000; i++) map.set(i, i);
    const seen: number[] = [];
    for (const [key] of map) {
      seen.push(key);
      map.delete(key);
      map.delete(key + 1);
    }
    expect(seen).toHaveLength(500);
    expect(map.size).toBe(0);
  });

  test('starts anew when it is cleared', () => {
    const map = new TurnoverMap<string, number>();
    map.set('a', 1);
    map.clear();
    expect(map.size).toBe(0);
    map.set('b', 2);
    expect([...map]).toEqual([['b', 2]]);
  });
});
