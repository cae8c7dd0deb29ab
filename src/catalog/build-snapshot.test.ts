import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toConnectorId } from '../kernel/index.js';
import { parseJson } from '../mcp/jsonrpc/index.js';
import { buildSnapshot, hashOf, type Listing } from './build-snapshot.js';
import { diffSnapshots } from './diff-snapshots.js';

const schema = { type: 'object' };
const tool = (name: string, more: object = {}) => ({ name, inputSchema: schema, ...more });
const fine = (): undefined => undefined;

function listing(offers: Partial<Listing> = {}): Listing {
  return {
    connectorId: toConnectorId('c'),
    takenAt: 7,
    upstream: {
      info: { name: 'u', version: '1' },
      era: 'legacy',
      revision: '2025-11-25',
      capabilities: {},
      instructions: undefined,
    },
    listedAs: 'anonymous',
    tools: [],
    prompts: [],
    resources: [],
    templates: [],
    rejected: [],
    ...offers,
  };
}

describe('buildSnapshot', () => {
  test('sorts by name, whatever order the upstream chose', () => {
    const { tools } = buildSnapshot(listing({ tools: [tool('b'), tool('a'), tool('B')] }), undefined, fine);
    expect(tools.map(({ name }) => name)).toEqual(['B', 'a', 'b']);
  });

  test.each<readonly [string, string, string]>([
    ['an empty name', '', 'the name is empty'],
    ['a name of 129 characters', 'x'.repeat(129), 'the name is longer than 128 characters'],
    ['control characters', 'a\u001B[31m', 'the name has control characters'],
    ['a line break', 'a\nb', 'the name has control characters'],
    ['half of a surrogate pair', 'a\ud800', 'the name has half a character'],
  ])('sets aside %s', (_what, name, reason) => {
    const { tools, rejected } = buildSnapshot(listing({ tools: [tool(name), tool('ok')] }), undefined, fine);
    expect(tools.map((kept) => kept.name)).toEqual(['ok']);
    expect(rejected).toEqual([{ kind: 'tool', name: name.slice(0, 128), reason }]);
  });

  test('of two with one name the first stays', () => {
    const offers = { tools: [tool('a', { title: 'first' }), tool('a', { title: 'second' })] };
    const { tools, rejected } = buildSnapshot(listing(offers), undefined, fine);
    expect(tools).toMatchObject([{ title: 'first' }]);
    expect(rejected).toEqual([{ kind: 'tool', name: 'a', reason: 'another one has the same name' }]);
  });

  test('what the judge refuses is set aside, with what was refused before', () => {
    const before = { kind: 'tool', name: 'broken', reason: 'no schema' } as const;
    const offers = { tools: [tool('bad'), tool('good')], rejected: [before] };
    const { tools, rejected } = buildSnapshot(listing(offers), undefined, ({ name }) =>
      name === 'bad' ? 'why' : undefined,
    );
    expect(tools.map(({ name }) => name)).toEqual(['good']);
    expect(rejected).toEqual([before, { kind: 'tool', name: 'bad', reason: 'why' }]);
  });

  test('addresses may be long, names may not', () => {
    const uri = `file:///${'x'.repeat(500)}`;
    const offers = {
      resources: [{ uri, name: 'r' }],
      templates: [{ uriTemplate: `${uri}{a}`, name: 't' }],
      prompts: [{ name: uri }],
    };
    const { resources, templates, prompts } = buildSnapshot(listing(offers), undefined, fine);
    expect([resources.length, templates.length, prompts.length]).toEqual([1, 1, 0]);
  });

  test('names given before are kept', () => {
    const first = buildSnapshot(listing({ tools: [tool('a.b')] }), undefined, fine);
    const second = buildSnapshot(listing({ tools: [tool('a_b'), tool('a.b')] }), first, fine);
    expect(new Map(second.names.tools).get('a.b')).toBe('c__a_b');
  });

  test('the hash covers every offer and nothing else', () => {
    const base = listing({ tools: [tool('a', { annotations: { readOnlyHint: true } })] });
    const { hash } = buildSnapshot(base, undefined, fine);
    const hashWith = (changes: Partial<Listing>): string =>
      buildSnapshot({ ...base, ...changes }, undefined, fine).hash;
    expect(hashWith({ takenAt: 99, listedAs: 'shared' })).toBe(hash);
    expect(
      hashWith({ tools: [{ annotations: { readOnlyHint: true }, inputSchema: schema, name: 'a' }] }),
    ).toBe(hash);
    for (const changes of [
      { tools: [tool('a', { annotations: { readOnlyHint: false } })] },
      { prompts: [{ name: 'p' }] },
      { resources: [{ uri: 'x:y', name: 'r' }] },
      { templates: [{ uriTemplate: 'x:{y}', name: 't' }] },
      { upstream: { ...base.upstream, instructions: 'new' } },
    ])
      expect(hashWith(changes)).not.toBe(hash);
  });
});

describe('hashOf', () => {
  test('does not depend on the order of members, at any depth', () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([key, member]) => [key, reversed(member)]),
      );
    };
    fc.assert(fc.property(fc.jsonValue(), (value) => hashOf(reversed(value)) === hashOf(value)));
  });

  test.each([
    ['9007199254740993', '9007199254740992'],
    ['{"a":[1e400]}', '{"a":[2e400]}'],
    ['{"a":1e400}', '{"a":null}'],
    ['{"a":0.10000000000000000001}', '{"a":0.1}'],
  ])('keeps %s and %s apart', (a, b) => {
    expect(hashOf(parseJson(a))).not.toBe(hashOf(parseJson(b)));
  });

  test('keeps different documents apart', () => {
    const document = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);
    fc.assert(
      fc.property(document, document, (a, b) => {
        expect(hashOf(a) === hashOf(b)).toBe(JSON.stringify(sorted(a)) === JSON.stringify(sorted(b)));
      }),
      { examples: [[{}, []]] },
    );
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  // Not an array of members: that of an empty object would be an empty array.
  const members = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => ({ key, member: sorted(member) }));
  return { members };
}

describe('diffSnapshots', () => {
  const build = (offers: Partial<Listing>) => buildSnapshot(listing(offers), undefined, fine);

  test('names what came, went and changed', () => {
    const before = build({ tools: [tool('stays'), tool('goes'), tool('changes')], prompts: [{ name: 'p' }] });
    const after = build({
      tools: [tool('stays'), tool('comes'), tool('changes', { title: 'new' })],
      resources: [{ uri: 'r:1', name: 'r' }],
    });
    const diff = diffSnapshots(before, after);
    expect(diff.added).toEqual(expect.arrayContaining(['comes']));
    expect(diff.added).toHaveLength(2);
    expect(diff.removed).toEqual(expect.arrayContaining(['goes']));
    expect(diff.removed).toHaveLength(2);
    expect(diff.changed).toEqual(['changes']);
  });

  test('at first everything is new; of the same nothing is', () => {
    const snapshot = build({ tools: [tool('a')] });
    expect(diffSnapshots(undefined, snapshot)).toEqual({ added: ['a'], removed: [], changed: [] });
    expect(diffSnapshots(snapshot, build({ tools: [tool('a')] }))).toEqual({
      added: [],
      removed: [],
      changed: [],
    });
  });

  test('a tool and a prompt of one name are not mistaken for each other', () => {
    const diff = diffSnapshots(build({ tools: [tool('same')] }), build({ prompts: [{ name: 'same' }] }));
    expect(diff.added).toHaveLength(1);
    expect(diff.removed).toEqual(['same']);
    expect(diff.changed).toEqual([]);
  });
});
