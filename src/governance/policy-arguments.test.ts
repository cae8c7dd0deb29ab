import { describe, expect, test } from 'vitest';
import { toAgentId, toConnectorId, toPolicyId } from '../kernel/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';
import { flattenArguments } from './policy-arguments.js';
import { readDocument } from './policy-documents.js';
import { atOnce } from './policy-pieces.js';
import { createPolicyEngine } from './policy-engine.js';
import type { Decision, Policy } from './policy.js';

function policy(text: string): Policy {
  return { id: toPolicyId('p'), text, source: 'stored', version: 1, updatedAt: 0 };
}

function decide(text: string, args: JsonObject): Decision {
  const engine = createPolicyEngine({ clock: { now: () => 0, monotonic: () => 0 } });
  engine.load([policy(text)]);
  return engine.decide({
    agent: { id: toAgentId('a'), tags: [] },
    action: 'call',
    connector: { id: toConnectorId('c'), tags: [] },
    target: {
      kind: 'tool',
      name: 't',
      risk: 'read',
      tags: [],
      annotations: { readOnly: true, destructive: false, idempotent: false, openWorld: false },
    },
    args,
  });
}

const ANY = 'permit(principal, action, resource)';
const LOOKS_AT = (name: string) =>
  `${ANY} unless { context has args && context.args.hasTag("${name}") && context.args.getTag("${name}") == "bad" };`;
/** Of which nobody can tell which argument it asks for. */
const LOOKS_AT_SOME = `${ANY} unless { context has args && resource is Tool && context.args.hasTag(resource.name) };`;
const TOO_LARGE = 'the arguments are larger than policies can look at';

describe('the arguments that a statement asks for', () => {
  test.each([
    ['none', `${ANY};`, []],
    ['none where it only asks for the time', `${ANY} when { context.now > datetime("2020-01-01") };`, []],
    ['the one it names', LOOKS_AT('path'), ['path']],
    ['those on the way to it', LOOKS_AT('page.size.0'), ['page', 'page.size', 'page.size.0']],
    ['a dot in a key is no way', LOOKS_AT('a\\\\.b.c'), ['a\\.b', 'a\\.b.c']],
    ['a backslash before a dot may be a key', LOOKS_AT('a\\\\\\\\.b'), ['a\\\\', 'a\\\\.b']],
    [
      'numbers too',
      `${ANY} when { context has numbers && context.numbers.hasTag("n") && context.numbers.getTag("n") < 5 };`,
      ['n'],
    ],
  ])('%s', (_, text, names) => {
    const [statement] = atOnce(readDocument(policy(text), false));
    expect([...(statement?.argumentNames ?? [])].toSorted()).toEqual(names);
  });

  test('any where the name is worked out', () => {
    const [statement] = atOnce(readDocument(policy(LOOKS_AT_SOME), false));
    expect(statement?.argumentNames).toBe('any');
  });
});

test('only what is asked for is told', () => {
  const args = { page: { size: 5, no: 1 }, 'a.b': { c: 'x' }, a: { b: { c: 'y' } }, list: ['p', 'q'] };
  const asked = (...names: string[]) => ({ ...flattenArguments(args, new Set(names)).texts });
  expect(asked()).toEqual({});
  expect(asked('page', 'page.size')).toEqual({ 'page.size': '5' });
  expect(asked('a\\.b', 'a\\.b.c')).toEqual({ 'a\\.b.c': 'x' });
  expect(asked('list', 'list.1', 'list.2')).toEqual({ 'list.1': 'q' });
});

describe('large arguments', () => {
  const values = Array.from({ length: 50_000 }, (_, i) => i % 10);
  const text = 'é'.repeat(2_000_000);

  test.each([
    ['a long name before many values', { ['k'.repeat(1_000_000)]: values }],
    ['many values', { values }],
    ['a long text', { text }],
  ])('%s, of which policies ask for nothing, take no time', (_, args) => {
    for (const document of [`${ANY};`, LOOKS_AT('path')]) {
      const began = performance.now();
      expect(decide(document, { ...args, path: 'good' }).kind).toBe('allow');
      expect(performance.now() - began).toBeLessThan(1000);
    }
    expect(decide(LOOKS_AT('path'), { ...args, path: 'bad' }).kind).toBe('deny');
  });

  test.each([
    ['a long name before many values', { ['k'.repeat(1_000_000)]: values }],
    ['many values', { values }],
    ['a long text', { text }],
    ['a text that takes more room where it is written', { text: '\u0001'.repeat(60_000) }],
  ])('%s, of which a policy may ask for any, are refused', (_, args) => {
    expect(decide(LOOKS_AT_SOME, args)).toEqual({ kind: 'deny', policies: [], reason: TOO_LARGE });
  });

  test('a text that a policy asks for may have 250,000 characters, not 300,000', () => {
    expect(decide(LOOKS_AT('text'), { text: 'x'.repeat(250_000) }).kind).toBe('allow');
    expect(decide(LOOKS_AT('text'), { text: 'x'.repeat(300_000) }).reason).toBe(TOO_LARGE);
  });

  test('of values that a policy may ask for there may be 900, not 2,100', () => {
    expect(decide(LOOKS_AT_SOME, { values: values.slice(0, 900) }).kind).toBe('allow');
    expect(decide(LOOKS_AT_SOME, { values: values.slice(0, 2100) }).reason).toBe(TOO_LARGE);
  });
});
