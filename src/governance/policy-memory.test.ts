import { beforeEach, describe, expect, test } from 'vitest';
import { toAgentId, toConnectorId, toPolicyId, type Clock } from '../kernel/index.js';
import { createPolicyEngine } from './policy-engine.js';
import type { PolicyEngine, PolicyQuestion, PolicyTarget } from './policy.js';

/** What the engine remembers of its decisions, and that it never mistakes one for another. */

/** Each evaluation asks for the time, so that the clock counts them. */
let evaluations = 0;
const clock: Clock = {
  now: () => {
    evaluations++;
    return Date.UTC(2026, 0, 1);
  },
  monotonic: () => 0,
};
beforeEach(() => {
  evaluations = 0;
});

function engineWith(...texts: string[]): PolicyEngine {
  const engine = createPolicyEngine({
    clock,
    toolsetsOf: (_connector, tool) => (tool.startsWith('report') ? ['reports'] : []),
  });
  engine.load(
    texts.map((text, index) => ({
      id: toPolicyId(`p${index}`),
      text,
      source: 'file',
      version: 1,
      updatedAt: 0,
    })),
  );
  return engine;
}

const FLAGS = { readOnly: true, destructive: true, idempotent: true, openWorld: true };
const TOOL = { kind: 'tool', name: 'query', risk: 'read', tags: [], annotations: FLAGS } as const;

interface Asked {
  readonly agent?: Partial<PolicyQuestion['agent']>;
  readonly action?: PolicyQuestion['action'];
  readonly connector?: string;
  readonly connectorTags?: readonly string[];
  readonly target?: PolicyTarget;
}

function question({
  agent,
  action = 'call',
  connector = 'db',
  connectorTags = [],
  target = TOOL,
}: Asked = {}) {
  return {
    agent: { id: toAgentId('ci'), tags: [], ...agent },
    action,
    connector: { id: toConnectorId(connector), tags: connectorTags },
    target,
  };
}

const tool = (change: Partial<Extract<PolicyTarget, { kind: 'tool' }>>): Asked => ({
  target: { ...TOOL, ...change },
});
const flag = (name: keyof typeof FLAGS): Asked => tool({ annotations: { ...FLAGS, [name]: false } });
const when = (condition: string): string =>
  `permit(principal, action, resource is Tool) when { ${condition} };`;
const prompt = (name: string): Asked => ({ action: 'get', target: { kind: 'prompt', name } });
const resource = (uri: string): Asked => ({ action: 'read', target: { kind: 'resource', uri } });

describe('two questions that differ in one thing a policy speaks of are two', () => {
  test.each<[string, string, Asked, Asked]>([
    [
      'the agent',
      'permit(principal == Agent::"ci", action, resource);',
      {},
      { agent: { id: toAgentId('x') } },
    ],
    ["the agent's tags", when('principal.tags.contains("a")'), { agent: { tags: ['a'] } }, {}],
    [
      'tags that look alike',
      when('principal.tags.contains("a")'),
      { agent: { tags: ['a', 'b'] } },
      { agent: { tags: ['a,b'] } },
    ],
    [
      "the agent's scopes",
      when('principal has scopes && principal.scopes.contains("w")'),
      { agent: { scopes: ['r', 'w'] } },
      { agent: { scopes: ['r'] } },
    ],
    ['that it has scopes', when('principal has scopes'), { agent: { scopes: [] } }, {}],
    ['the connector', 'permit(principal, action, resource in Connector::"db");', {}, { connector: 'mail' }],
    ["the connector's tags", when('Connector::"db".tags.contains("a")'), { connectorTags: ['a'] }, {}],
    [
      "the connector's tags that look alike",
      when('Connector::"db".tags.contains("b")'),
      { connectorTags: ['a', 'b'] },
      { connectorTags: ['a,b'] },
    ],
    ['the risk', when('resource.risk == "read"'), {}, tool({ risk: 'write' })],
    ["the tool's tags", when('resource.tags.contains("a")'), tool({ tags: ['a'] }), {}],
    [
      "the tool's tags that look alike",
      when('resource.tags.contains("a")'),
      tool({ tags: ['a', 'b'] }),
      tool({ tags: ['a,b'] }),
    ],
    ['whether it only reads', when('resource.readOnly'), {}, flag('readOnly')],
    ['whether it destroys', when('resource.destructive'), {}, flag('destructive')],
    ['whether it may be repeated', when('resource.idempotent'), {}, flag('idempotent')],
    ['whether it reaches out', when('resource.openWorld'), {}, flag('openWorld')],
    [
      'its toolsets',
      'permit(principal, action, resource in Toolset::"reports");',
      tool({ name: 'report' }),
      {},
    ],
    ['the name of a tool', when('resource.name == "query"'), {}, tool({ name: 'drop' })],
    [
      'a tool by its id',
      'permit(principal, action, resource == Tool::"db/query");',
      {},
      tool({ name: 'drop' }),
    ],
    [
      'a tool that is excepted',
      'permit(principal, action, resource) unless { resource == Tool::"db/drop" };',
      {},
      tool({ name: 'drop' }),
    ],
    [
      'one statement of several names offers',
      `${when('resource.risk == "write"')} permit(principal, action, resource == Tool::"db/query");`,
      {},
      tool({ name: 'drop' }),
    ],
    [
      'the name of a prompt',
      'permit(principal, action, resource == Prompt::"db/p");',
      prompt('p'),
      prompt('q'),
    ],
    [
      'the name of a prompt, by attribute',
      'permit(principal, action, resource is Prompt) when { resource.name == "p" };',
      prompt('p'),
      prompt('q'),
    ],
    [
      'the address of a resource',
      'permit(principal, action, resource == Resource::"db/file:///a");',
      resource('file:///a'),
      resource('file:///b'),
    ],
    [
      'the address of a resource, by attribute',
      'permit(principal, action, resource is Resource) when { resource.uri like "file:///a*" };',
      resource('file:///a'),
      resource('file:///b'),
    ],
    [
      'the connector of a prompt',
      'permit(principal, action, resource in Connector::"db");',
      prompt('p'),
      { ...prompt('p'), connector: 'mail' },
    ],
    ['the kind', 'permit(principal, action, resource is Resource);', resource('x'), prompt('x')],
    [
      'the action',
      'permit(principal, action, resource); forbid(principal, action == Action::"list", resource);',
      {},
      { action: 'list' },
    ],
  ])('%s', (_what, text, allowed, denied) => {
    const engine = engineWith(text);
    const kinds = [allowed, denied, allowed].map((asked) => engine.decide(question(asked)).kind);
    expect(kinds).toEqual(['allow', 'deny', 'allow']);
  });
});

describe('what is asked again is not decided again', () => {
  const count = (engine: PolicyEngine, ...asked: Asked[]): number => {
    evaluations = 0;
    for (const each of asked) engine.decide(question(each));
    return evaluations;
  };

  test('nor where only names differ that no policy speaks of', () => {
    const engine = engineWith('permit(principal, action, resource);');
    expect(count(engine, {}, {}, tool({ name: 'other' }), { action: 'list' }, { action: 'list' })).toBe(2);
    expect(count(engineWith(when('resource.name == "query"')), {}, {}, tool({ name: 'other' }))).toBe(2);
  });

  test('unless an address is long: clients make as many of those as they like', () => {
    const engine = engineWith(
      'permit(principal, action, resource);',
      'forbid(principal, action, resource is Resource) when { resource.uri like "secret:*" };',
    );
    const read = (length: number) =>
      ({ action: 'read', target: { kind: 'resource', uri: 'a'.repeat(length) } }) as const;
    expect(count(engine, read(1000), read(1000))).toBe(1);
    expect(count(engine, read(3000), read(3000))).toBe(2);
  });
  test('unless arguments or the time may matter, for that connector', () => {
    const engine = engineWith(
      'permit(principal, action, resource);',
      'forbid(principal, action, resource in Connector::"mail") when { context has args };',
    );
    expect(count(engine, {}, {})).toBe(1);
    expect(count(engine, { connector: 'mail' }, { connector: 'mail' })).toBe(2);
    expect(count(engine, { connector: 'mail', action: 'list' }, { connector: 'mail', action: 'list' })).toBe(
      1,
    );
  });

  test('nothing is asked of policies that are not there', () => {
    expect(count(engineWith(), {}, {})).toBe(0);
  });
});

describe('what a decision says', () => {
  const decide = (texts: string[], asked: Asked = {}) => engineWith(...texts).decide(question(asked));

  test.each<[string, string[], object]>([
    ['a permit', ['@id("a") permit(principal, action, resource);'], { kind: 'allow', policies: ['p0/a'] }],
    [
      'two forbids',
      [
        'permit(principal, action, resource);',
        '@id("b") forbid(principal, action, resource); @id("a") forbid(principal, action, resource);',
      ],
      { kind: 'deny', policies: ['p1/a', 'p1/b'] },
    ],
    [
      'a policy that cannot be evaluated',
      [
        'permit(principal, action, resource);',
        '@id("x") permit(principal, action, resource) when { 9223372036854775807 + (if resource is Tool then 1 else 0) > 0 };',
      ],
      { kind: 'deny', policies: ['p1/x'] },
    ],
  ])('%s is named', (_what, texts, expected) => {
    const decision = decide(texts);
    expect(decision).toMatchObject(expected);
    for (const id of decision.policies) expect(decision.reason).toContain(id);
    expect(decision.reason).toMatch(/ (?:p\d\/\w)(?:, p\d\/\w)*(?: |$)/);
  });

  test('a confirmation asks in the words of the policy, else names it', () => {
    expect(decide(['@confirm("sure?") permit(principal, action, resource);']).reason).toBe('sure?');
    expect(decide(['@id("a") @confirm permit(principal, action, resource);'])).toMatchObject({
      kind: 'confirm',
      reason: expect.stringContaining('p0/a') as string,
    });
  });

  test('listing tells who permits the call, and is hidden only by an explicit forbid', () => {
    const listing = { action: 'list' } as const;
    const call = 'permit(principal, action == Action::"call", resource);';
    expect(decide([call], listing)).toMatchObject({ kind: 'allow', policies: ['p0/1'] });
    const both = [call, 'permit(principal, action == Action::"list", resource);'];
    expect(decide(both, listing)).toMatchObject({ kind: 'allow', policies: ['p0/1'] });
    const hidden = [call, 'forbid(principal, action == Action::"list", resource);'];
    expect(decide(hidden, listing)).toMatchObject({ kind: 'deny', policies: ['p1/1'] });
    expect(decide(hidden)).toMatchObject({ kind: 'allow' });
    expect(decide(['permit(principal, action == Action::"list", resource);'], listing).kind).toBe('deny');
  });

  test('listing takes every condition on the context as met, and keeps the others', () => {
    const listing = { action: 'list' } as const;
    const args = 'context has args && context.args.hasTag("x")';
    const start = 'permit(principal, action, resource)';
    const kind = (text: string) => decide([text], listing).kind;
    expect(kind(`${start} unless { ${args} };`)).toBe('allow');
    expect(kind(`${start} unless { principal == Agent::"other" && ${args} };`)).toBe('allow');
    expect(kind(`${start} when { !(${args}) };`)).toBe('allow');
    expect(kind(`${start} when { ${args} } when { principal.tags.contains("b") };`)).toBe('deny');
    expect(kind(`${start} unless { ${args} } unless { principal == Agent::"ci" };`)).toBe('deny');
  });

  test('the time counts', () => {
    expect(decide([when('context.now == datetime("2026-01-01")')]).kind).toBe('allow');
    expect(decide([when('context.now > datetime("2026-01-01")')]).kind).toBe('deny');
  });

  test('without toolsets a tool is in none', () => {
    const engine = createPolicyEngine({ clock });
    const text = 'permit(principal, action, resource) unless { resource in Toolset::"reports" };';
    engine.load([{ id: toPolicyId('p'), text, source: 'file', version: 1, updatedAt: 0 }]);
    expect(engine.decide(question(tool({ name: 'report' }))).kind).toBe('allow');
  });
});

describe('the very same objects are not looked at again', () => {
  const load = (engine: PolicyEngine, ...texts: string[]): void =>
    engine.load(
      texts.map((text, index) => ({
        id: toPolicyId(`p${index}`),
        text,
        source: 'file',
        version: 1,
        updatedAt: 0,
      })),
    );
  const agent = { id: toAgentId('ci'), tags: ['a'] };
  const connector = { id: toConnectorId('db'), tags: [] };
  const asked: PolicyQuestion = { agent, action: 'call', connector, target: { ...TOOL } };

  function open(...texts: string[]) {
    const current = { toolsets: ['reports'] };
    const engine = createPolicyEngine({ clock, toolsetsOf: () => current.toolsets });
    load(engine, ...texts);
    return { engine, current };
  }

  test('but any other one is', () => {
    const { engine, current } = open(
      'permit(principal == Agent::"ci", action == Action::"call", resource in Connector::"db") when { resource in Toolset::"reports" };',
      'forbid(principal, action == Action::"list", resource);',
    );
    const kind = (change: Partial<PolicyQuestion> = {}) => engine.decide({ ...asked, ...change }).kind;
    expect([kind(), kind()]).toEqual(['allow', 'allow']);
    expect(evaluations).toBe(1);
    expect(kind({ agent: { ...agent, id: toAgentId('x') } })).toBe('deny');
    expect(kind()).toBe('allow');
    expect(kind({ connector: { ...connector, id: toConnectorId('mail') } })).toBe('deny');
    expect(kind()).toBe('allow');
    expect([kind({ action: 'list' }), kind({ action: 'list' })]).toEqual(['deny', 'deny']);
    expect(kind()).toBe('allow');
    current.toolsets = ['others'];
    expect(kind()).toBe('deny');
    load(engine, 'permit(principal, action, resource);');
    expect(kind()).toBe('allow');
  });

  test('unless arguments matter', () => {
    const { engine } = open(
      'permit(principal, action, resource) when { context has args && context.args.hasTag("x") };',
    );
    const kinds = [{ x: 1 }, { y: 1 }, { x: 1 }].map((args) => engine.decide({ ...asked, args }).kind);
    expect(kinds).toEqual(['allow', 'deny', 'allow']);
  });
});
