import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readRepositoryFile } from '../scripts/repository.js';
import { CALL_OUTCOMES, EVENT_TYPES } from '../src/contract/index.js';
import { ERROR_FACES } from '../src/edge/index.js';
import { verifyChain, type EventQuery, type EventRecord } from '../src/governance/index.js';
import { HUB_ERROR_CODES } from '../src/kernel/index.js';
import { codeBlocksOf } from './documents.js';
import { rowsOf, sectionOf } from './document-tables.js';
import { EVENT_FIELDS } from './event-fields.js';

test('docs/errors.md tells of every error, and how it looks', () => {
  const told = rowsOf(readRepositoryFile('docs/errors.md'), 'code');
  const faces = Object.fromEntries(
    told.map(({ code, modern, legacy, admin }) => [code, { modern, legacy, admin }]),
  );
  const expected = HUB_ERROR_CODES.map((code) => {
    const { modern, legacy, admin } = ERROR_FACES[code];
    return [code, { modern: String(modern), legacy: String(legacy), admin: String(admin) }];
  });
  expect(faces).toEqual(Object.fromEntries(expected));
  expect(told).toHaveLength(HUB_ERROR_CODES.length);
  for (const row of told) {
    expect(row['what happened'], row['code']).toMatch(/\.$/);
    expect(row['what to do'], row['code']).toMatch(/\.$/);
  }
});

describe('docs/events.md', () => {
  const text = readRepositoryFile('docs/events.md');
  const types = rowsOf(text, 'type').map((row) => [row['type'] ?? '', row['fields']?.split(', ')] as const);

  test('tells of every type with its fields', () => {
    const expected = Object.entries(EVENT_FIELDS).map(([type, fields]) => [
      type,
      Object.entries(fields).map(([name, presence]) => (presence === 'maybe' ? `${name}?` : name)),
    ]);
    expect(Object.fromEntries(types)).toEqual(Object.fromEntries(expected));
    expect(types.map(([type]) => type).toSorted()).toEqual(EVENT_TYPES.toSorted());
  });

  test('says what each field and outcome means', () => {
    const used = new Set(Object.values(EVENT_FIELDS).flatMap((fields) => Object.keys(fields)));
    const explained = rowsOf(sectionOf(text, 'Fields'), 'field').map((row) => row['field'] ?? '');
    expect(explained.toSorted()).toEqual([...used].toSorted());
    expect(rowsOf(text, 'outcome').map((row) => row['outcome'])).toEqual(CALL_OUTCOMES);
  });
});

describe('docs/tool-loops.md', () => {
  const text = readRepositoryFile('docs/tool-loops.md');
  const executor = readRepositoryFile('src/library/executor.ts');

  test('shows the examples whole, and no other code', () => {
    const blocks = codeBlocksOf(text).map((block) => block.text);
    const examples = ['examples/tool-loop-openai.ts', 'examples/tool-loop-anthropic.ts'];
    expect(blocks).toEqual(examples.map((path) => `// ${path}\n${readRepositoryFile(path)}`));
  });

  test('tells of every code and limit', () => {
    const codes = [...executor.matchAll(/'([A-Z]+(?:_[A-Z]+)+)'/g)].map((match) => match[1] ?? '');
    const told = rowsOf(text, 'code').map((row) => row['code'] ?? '');
    expect(told.filter((code) => /^[A-Z_]+$/.test(code)).toSorted()).toEqual([...new Set(codes)].toSorted());
    const limits = /const DEFAULTS = \{([^}]*)\}/.exec(executor)?.[1] ?? '';
    const numbers = [...limits.matchAll(/(\w+): ([\d_]+)/g)];
    expect(numbers).toHaveLength(3);
    for (const [, name = '', value = ''] of numbers)
      expect(text).toContain(`\`${name}\` (${value.replaceAll('_', ',')}`);
  });
});

test('the chain can be computed as docs/events.md says', async () => {
  const records: EventRecord[] = [];
  let previousHash = '0'.repeat(64);
  for (const sequence of [1, 2, 3]) {
    const at = Date.UTC(2026, 0, sequence);
    const actor = { kind: 'hub' } as const;
    const event = { type: 'hub.started', version: `${sequence}` } as const;
    const hash = createHash('sha256')
      .update(JSON.stringify([previousHash, sequence, at, actor, event]))
      .digest('hex');
    records.push({ sequence, at, actor, event, previousHash, hash });
    previousHash = hash;
  }
  const store = {
    query: ({ after = 0 }: EventQuery) => Promise.resolve(records.filter(({ sequence }) => sequence > after)),
    last: () => Promise.resolve(records.at(-1)),
    unfinishedCalls: () => Promise.resolve([]),
    anchor: () => Promise.resolve({ sequence: 0, hash: '0'.repeat(64) }),
  };
  expect(await verifyChain(store)).toEqual({ ok: true, events: 3, first: 1, head: previousHash });
  records[1] = { ...records[1]!, at: 0 };
  expect(await verifyChain(store)).toEqual({ ok: false, sequence: 2, problem: 'altered' });
});
