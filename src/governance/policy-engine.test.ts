import { describe, expect, test } from 'vitest';
import { systemClock, toAgentId, toConnectorId, toPolicyId } from '../kernel/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';
import { createPolicyEngine } from './policy-engine.js';
import type { Policy, PolicyQuestion } from './policy.js';

const policy = (text: string, id = 'p'): Policy => ({
  id: toPolicyId(id),
  text,
  source: 'file',
  version: 1,
  updatedAt: 0,
});

function question(
  overrides: {
    agent?: string;
    action?: PolicyQuestion['action'];
    connector?: string;
    tool?: string;
    risk?: 'read' | 'write' | 'destructive';
    args?: JsonObject;
  } = {},
): PolicyQuestion {
  return {
    agent: { id: toAgentId(overrides.agent ?? 'ci'), tags: ['team-a'] },
    action: overrides.action ?? 'call',
    connector: { id: toConnectorId(overrides.connector ?? 'db'), tags: [] },
    target: {
      kind: 'tool',
      name: overrides.tool ?? 'query',
      risk: overrides.risk ?? 'read',
      tags: [],
      annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    },
    args: overrides.args,
  };
}

function engineWith(...texts: string[]) {
  const engine = createPolicyEngine({
    clock: systemClock,
    toolsetsOf: (_connector, tool) => (tool === 'query' ? ['reports'] : []),
  });
  engine.load(texts.map((text, index) => policy(text, `p${index}`)));
  return engine;
}

describe('decisions', () => {
  const check = (texts: string[], asked: PolicyQuestion, kind: string, policies: string[]) => {
    const decision = engineWith(...texts).decide(asked);
    expect({ kind: decision.kind, policies: decision.policies }).toEqual({ kind, policies });
  };

  test('no policy is a denial', () => check([], question(), 'deny', []));
  test('a permit allows', () =>
    check(['permit(principal, action, resource);'], question(), 'allow', ['p0/1']));
  test.each([
    'permit(principal, action, resource == Tool::"db/find");',
    'permit(principal, action, resource is Tool in Tool::"db/find");',
    'permit(principal, action, resource) when { resource == Tool::"db/find" };',
    'permit(principal, action, resource is Tool) when { [Tool::"db/find", Tool::"db/other"].contains(resource) };',
    'permit(principal, action, resource is Tool) when { resource.name like "fin*" };',
  ])('a decision about one tool is not that about another: %s', (text) => {
    const engine = engineWith(text);
    const kinds = ['drop', 'find', 'erase', 'find', 'drop'].map(
      (tool) => engine.decide({ ...question({ tool }), action: 'list' }).kind,
    );
    expect(kinds).toEqual(['deny', 'allow', 'deny', 'allow', 'deny']);
  });
  test.each(['call', 'list'] as const)('half a surrogate pair is no obstacle: %s', (action) => {
    const engine = engineWith(
      'permit(principal, action, resource);',
      'forbid(principal, action == Action::"call", resource) when { context has args && context.args.hasTag("q\ufffd") && context.args.getTag("q\ufffd") like "*drop*" };',
    );
    const decide = (args: JsonObject) => engine.decide(question({ action, tool: 'find\ud800', args })).kind;
    expect([decide({ q: '\udc00' }), decide({ 'q\ud800': ['x'] })]).toEqual(['allow', 'allow']);
    expect(decide({ 'q\ud800': 'drop \ud800' })).toBe(action === 'call' ? 'deny' : 'allow');
  });
  test('a forbid wins over a permit', () =>
    check(
      [
        'permit(principal, action, resource);',
        '@id("no-db") forbid(principal, action, resource in Connector::"db");',
      ],
      question(),
      'deny',
      ['p1/no-db'],
    ));
  test('another agent is not meant', () =>
    check(['permit(principal == Agent::"x", action, resource);'], question(), 'deny', []));
  test('tags of agents and risk of tools can be asked for', () =>
    check(
      [
        'permit(principal, action, resource is Tool) when { principal.tags.contains("team-a") && resource.risk == "read" };',
      ],
      question(),
      'allow',
      ['p0/1'],
    ));
  test('toolsets are groups', () =>
    check(['permit(principal, action, resource in Toolset::"reports");'], question(), 'allow', ['p0/1']));
  test('a permit with @confirm asks first, whatever else permits', () =>
    check(
      [
        'permit(principal, action, resource);',
        '@confirm("sure?") permit(principal, action == Action::"call", resource);',
      ],
      question(),
      'confirm',
      ['p0/1', 'p1/1'],
    ));
  test('arguments decide a call', () => {
    const engine = engineWith(
      'permit(principal, action == Action::"call", resource) when { context has args && context.args.hasTag("path") && context.args.getTag("path") like "/srv/*" };',
    );
    expect(engine.decide(question({ args: { path: '/srv/a' } })).kind).toBe('allow');
    expect(engine.decide(question({ args: { path: '/etc/a' } })).kind).toBe('deny');
    expect(engine.decide(question({ action: 'list' })).kind).toBe('allow');
  });
  test('numbers in arguments can be compared, nested paths are dotted', () => {
    const engine = engineWith(
      'permit(principal, action, resource is Tool) when { context has numbers && context.numbers.hasTag("page.limit") && context.numbers.getTag("page.limit") <= 10 };',
    );
    expect(engine.decide(question({ args: { page: { limit: 10 } } })).kind).toBe('allow');
    expect(engine.decide(question({ args: { page: { limit: 11 } } })).kind).toBe('deny');
  });
  test('neither a dot in a key nor an empty key passes for another path', () => {
    const engine = engineWith(
      'permit(principal, action, resource is Tool) when { context has numbers && context.numbers.hasTag("page.limit") && context.numbers.getTag("page.limit") <= 10 };',
    );
    expect(engine.decide(question({ args: { page: { limit: 1000 }, 'page.limit': 5 } })).kind).toBe('deny');
    expect(
      engine.decide(question({ args: { page: { limit: 1000 }, '': { page: { limit: 5 } } } })).kind,
    ).toBe('deny');
    expect(engine.decide(question({ args: { 'page.limit': 5 } })).kind).toBe('deny');
  });
  test('a policy that fails to evaluate is a denial', () => {
    const engine = engineWith(
      'permit(principal, action, resource);',
      'forbid(principal, action == Action::"call", resource) when { context has numbers && context.numbers.hasTag("n") && context.numbers.getTag("n") * 9223372036854775807 > 0 };',
    );
    expect(engine.decide(question({ args: { n: 4 } })).kind).toBe('deny');
  });
  test('listing: a forbidden tool is hidden, one forbidden only for some arguments is not', () => {
    const engine = engineWith(
      'permit(principal, action, resource);',
      'forbid(principal, action == Action::"call", resource in Connector::"secret");',
      'forbid(principal, action == Action::"call", resource) when { context has args && context.args.hasTag("x") };',
      'forbid(principal, action == Action::"list", resource == Tool::"db/hidden");',
    );
    expect(engine.decide(question({ action: 'list' })).kind).toBe('allow');
    expect(engine.decide(question({ action: 'list', connector: 'secret' })).kind).toBe('deny');
    expect(engine.decide(question({ action: 'list', tool: 'hidden' })).kind).toBe('deny');
    expect(engine.decide(question({ args: { x: 1 } })).kind).toBe('deny');
  });
  test('listing keeps what a policy asks of the agent', () => {
    const engine = engineWith(
      'permit(principal, action == Action::"call", resource) when { principal.tags.contains("team-b") && context has args && context.args.hasTag("x") };',
    );
    expect(engine.decide(question({ action: 'list' })).kind).toBe('deny');
  });
});

describe('loading', () => {
  test.each([
    ['syntax', 'permit(principal action resource);'],
    [
      'an attribute the schema does not have',
      'permit(principal, action, resource is Tool) when { resource.owner == "x" };',
    ],
    ['templates', 'permit(principal == ?principal, action, resource);'],
    ['@confirm on a forbid', '@confirm("x") forbid(principal, action, resource);'],
    [
      'two statements of one name',
      '@id("a") permit(principal, action, resource); @id("a") forbid(principal, action, resource);',
    ],
  ])('refuses %s and keeps the old set', (_what, text) => {
    const engine = engineWith('permit(principal, action, resource);');
    expect(() => engine.load([policy(text)])).toThrowError(
      expect.objectContaining({ code: 'config_invalid' }),
    );
    expect(engine.decide(question()).kind).toBe('allow');
    expect(engine.version).toBe(1);
  });

  test('refuses two documents of one name, because one would hide the other', () => {
    const engine = engineWith('permit(principal, action, resource);');
    const documents = [
      policy('forbid(principal, action, resource);', 'a'),
      policy('permit(principal, action, resource);', 'a'),
    ];
    expect(() => engine.load(documents)).toThrowError(expect.objectContaining({ code: 'config_invalid' }));
    expect(engine.version).toBe(1);
  });

  test('a new set takes effect at once, although decisions are remembered', () => {
    const engine = engineWith('permit(principal, action, resource);');
    expect(engine.decide(question()).kind).toBe('allow');
    engine.load([policy('forbid(principal, action, resource);')]);
    expect(engine.decide(question()).kind).toBe('deny');
  });

  test('a second engine in the process does not disturb the first', () => {
    const first = engineWith('permit(principal, action, resource);');
    expect(first.decide(question()).kind).toBe('allow');
    const second = engineWith('forbid(principal, action, resource);');
    expect(second.decide(question()).kind).toBe('deny');
    expect(first.decide(question({ tool: 'other' })).kind).toBe('allow');
  });
});

test('sets of policies are told apart by names and texts, in whatever order they come', () => {
  const digest = (...documents: readonly Policy[]): string => {
    const engine = createPolicyEngine({ clock: systemClock });
    engine.load(documents);
    return engine.digest;
  };
  const [permit, forbid] = ['permit(principal, action, resource);', 'forbid(principal, action, resource);'];
  const [one, two] = [policy(permit, 'a'), policy(forbid, 'b')];
  expect(digest(one, two)).toBe(digest(two, one));
  expect(digest(one, two)).toMatch(/^[\w-]{43}$/);
  const others = [digest(one), digest(two), digest(policy(forbid, 'a'), policy(permit, 'b')), digest()];
  expect(new Set([digest(one, two), ...others]).size).toBe(5);
});
