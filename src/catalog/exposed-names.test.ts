import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aggregateRule, assignNames, providerRule, type NamingRule } from './exposed-names.js';

const LEGAL = /^[A-Za-z0-9_-]+$/;
/** Names as servers choose them: plain ones, foreign ones, long ones, and ones that fall together when sanitised. */
const toolName = fc.oneof(
  fc.stringMatching(/^[a-z_]{1,8}$/),
  fc.stringMatching(/^[a-b._/ ]{1,4}$/),
  fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }),
  fc.stringMatching(/^x{50,128}[a-c]?$/),
);
const names = fc.uniqueArray(toolName, { maxLength: 30 });
const rule: fc.Arbitrary<NamingRule> = fc.oneof(
  fc
    .stringMatching(/^[a-z](?:[a-z-]|_[a-z]){0,46}$/)
    .map((id) => aggregateRule(id.slice(0, 48).replace(/_$/, 'a'))),
  fc.string({ minLength: 1, maxLength: 48 }).map((id) => providerRule(id, 64)),
  fc.string({ minLength: 1, maxLength: 48 }).map((id) => providerRule(id)),
);

describe('exposed names', () => {
  test('are legal, begin with the prefix and are no longer than allowed', () => {
    fc.assert(
      fc.property(rule, names, (by, offered) => {
        for (const [, exposed] of assignNames(by, offered)) {
          expect(exposed).toMatch(LEGAL);
          expect(exposed.startsWith(by.prefix)).toBe(true);
          expect(exposed.length).toBeLessThanOrEqual(by.maxLength);
        }
      }),
    );
  });

  test('are unique, and lead back to every tool', () => {
    fc.assert(
      fc.property(rule, names, (by, offered) => {
        const pairs = assignNames(by, offered);
        const back = new Map(pairs.map(([upstream, exposed]) => [exposed, upstream]));
        expect(back.size).toBe(offered.length);
        expect([...back.values()].toSorted()).toEqual([...offered].toSorted());
      }),
    );
  });

  test('stay when other tools come and go', () => {
    fc.assert(
      fc.property(rule, names, names, fc.func(fc.boolean()), (by, first, more, stays) => {
        const before = assignNames(by, first);
        const kept = first.filter((name) => stays(name));
        const after = new Map(
          assignNames(by, [...more.filter((name) => !first.includes(name)), ...kept], before),
        );
        for (const [name, exposed] of before) if (kept.includes(name)) expect(after.get(name)).toBe(exposed);
      }),
    );
  });

  test('stay over any number of syncs', () => {
    fc.assert(
      fc.property(rule, fc.array(names, { minLength: 2, maxLength: 6 }), (by, syncs) => {
        let map = assignNames(by, []);
        for (const offered of syncs) {
          const before = new Map(map);
          map = assignNames(by, offered, map);
          for (const [name, exposed] of map) if (before.has(name)) expect(exposed).toBe(before.get(name));
        }
      }),
    );
  });

  test('do not depend on the order of the list', () => {
    const shuffled = names.chain((offered) =>
      fc.tuple(fc.constant(offered), fc.shuffledSubarray(offered, { minLength: offered.length })),
    );
    fc.assert(
      fc.property(rule, shuffled, (by, [offered, other]) => {
        expect(new Map(assignNames(by, other))).toEqual(new Map(assignNames(by, offered)));
      }),
    );
  });

  test('are the same in another process: nothing random is in them', () => {
    const rows = [
      ['read_file', 'files__read_file'],
      ['get item', 'files__get_item'],
      ['get.item', 'files__get_item_a1f95f7c'],
      ['größe', 'files__gr__e'],
      ['🧪', 'files___'],
      ['x'.repeat(60), expect.stringMatching(/^files__x{48}_[0-9a-f]{8}$/) as string],
    ] as const;
    const given = assignNames(
      aggregateRule('files'),
      rows.map(([name]) => name),
    );
    expect(given).toEqual(rows.map((row) => [...row]));
    expect(
      assignNames(
        aggregateRule('files'),
        rows.map(([name]) => name),
      ),
    ).toEqual(given);
  });

  test('a tool with a plain name has the better claim to it than one that only comes to look like it', () => {
    const by = aggregateRule('c');
    expect(new Map(assignNames(by, ['a.b', 'a_b'])).get('a_b')).toBe('c__a_b');
  });

  test('names that others have are avoided', () => {
    const [pair] = assignNames(providerRule('a'), ['b'], [], new Set(['mcp_a__b']));
    expect(pair?.[1]).toMatch(/^mcp_a__b_[0-9a-f]{8}$/);
  });

  test('a name given under another rule is not kept', () => {
    expect(assignNames(aggregateRule('new'), ['t'], [['t', 'old__t']])).toEqual([['t', 'new__t']]);
  });

  test('connectors never share a name', () => {
    const id = fc.stringMatching(/^[a-c](?:[a-c-]|_[a-c]){0,5}$/);
    fc.assert(
      fc.property(id, id, names, names, (one, other, first, second) => {
        fc.pre(one !== other);
        const taken = new Set(assignNames(aggregateRule(one), first).map(([, exposed]) => exposed));
        for (const [, exposed] of assignNames(aggregateRule(other), second))
          expect(taken.has(exposed)).toBe(false);
      }),
    );
  });
});
