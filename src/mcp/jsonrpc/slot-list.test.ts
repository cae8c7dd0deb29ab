import { expect, test } from 'vitest';
import { SlotList, type Slotted } from './slot-list.js';

class Item implements Slotted {
  slot = -1;
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

function fill(names: string) {
  const list = new SlotList<Item>();
  const items = names.split('').map((name) => new Item(name));
  for (const item of items) list.add(item);
  const left = (): string => {
    const found: string[] = [];
    list.forEach(({ name }) => found.push(name));
    return found.toSorted().join('');
  };
  return { list, items, left };
}

test('each comes once and goes once, wherever it stands', () => {
  for (const order of ['abcd', 'dcba', 'bdac', 'cabd']) {
    const { list, items, left } = fill('abcd');
    expect(list.add(items[0]!)).toBe(false);
    let expected = 'abcd';
    for (const name of order) {
      const item = list.find((one) => one.name === name)!;
      expect([list.delete(item), list.delete(item)]).toEqual([true, false]);
      expected = expected.replace(name, '');
      expect([left(), list.size]).toEqual([expected, expected.length]);
    }
    expect(list.add(items[2]!)).toBe(true);
    expect(left()).toBe('c');
  }
});

test('those that leave while all have their turn have none', () => {
  const { list, items, left } = fill('abc');
  const seen: string[] = [];
  list.forEach((item) => {
    seen.push(item.name);
    for (const other of items) list.delete(other);
  });
  expect(seen).toEqual(['a']);
  expect(left()).toBe('');
});
