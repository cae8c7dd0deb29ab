import { describe, expect, test } from 'vitest';
import { entryOf, EVERYTHING_PERMITTED } from '../../test/support/catalog-examples.js';
import { buildSurface, type SurfaceScope } from './surface.js';

const ALL: SurfaceScope = { kind: 'all' };
const ENTRIES = [
  entryOf('db', {
    tools: ['query', 'drop.table'],
    prompts: ['help'],
    resources: ['db://people'],
    templates: ['db://{table}'],
  }),
  entryOf('files', { tools: ['read'], prompts: ['help'] }),
];
const names = (offers: readonly { readonly name: string }[]) => offers.map(({ name }) => name);

describe('scope', () => {
  test('the aggregate prefixes names and shows everything', () => {
    const surface = buildSurface(ENTRIES, ALL, EVERYTHING_PERMITTED);
    expect(names(surface.tools)).toEqual(['db__query', 'db__drop_table', 'files__read']);
    expect(names(surface.prompts)).toEqual(['db__help', 'files__help']);
    expect(surface.resources.map(({ uri }) => uri)).toEqual(['db://people']);
    expect(surface.findTool('db__drop_table')).toMatchObject({
      connector: { id: 'db' },
      tool: { name: 'drop.table' },
    });
    expect(surface.findPrompt('files__help')).toMatchObject({
      connector: { id: 'files' },
      prompt: { name: 'help' },
    });
    expect(surface.findResourceOwner('db://things')).toMatchObject({ connector: { id: 'db' } });
  });

  test("a connector's endpoint shows it alone, under its own names", () => {
    const surface = buildSurface(ENTRIES, { kind: 'connector', connector: 'db' }, EVERYTHING_PERMITTED);
    expect(names(surface.tools)).toEqual(['query', 'drop.table']);
    expect(names(surface.prompts)).toEqual(['help']);
    expect(surface.findTool('db__query')).toBeUndefined();
    expect(surface.findTool('read')).toBeUndefined();
  });

  test('a toolset shows its tools and nothing else', () => {
    const surface = buildSurface(
      ENTRIES,
      { kind: 'toolset', name: 's', tools: ['db__q*', 'files__read'] },
      EVERYTHING_PERMITTED,
    );
    expect(names(surface.tools)).toEqual(['db__query', 'files__read']);
    expect([surface.prompts, surface.resources, surface.templates]).toEqual([[], [], []]);
    expect(surface.findTool('db__drop_table')).toBeUndefined();
    expect(surface.findResourceOwner('db://people')).toBeUndefined();
  });

  test.each(['constructor', '__proto__', 'toString', ''])('%s is no tool', (name) => {
    const surface = buildSurface(ENTRIES, ALL, EVERYTHING_PERMITTED);
    expect([surface.findTool(name), surface.findPrompt(name), surface.findResourceOwner(name)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

test('what is not permitted is neither listed nor found', () => {
  const surface = buildSurface(ENTRIES, ALL, {
    tool: (_entry, { name }) => name !== 'query',
    prompt: ({ connector }) => connector.id !== 'db',
    resource: () => false,
  });
  expect(names(surface.tools)).toEqual(['db__drop_table', 'files__read']);
  expect(surface.findTool('db__query')).toBeUndefined();
  expect(names(surface.prompts)).toEqual(['files__help']);
  expect(surface.findPrompt('db__help')).toBeUndefined();
  expect(surface.findResourceOwner('db://people')).toBeUndefined();
});

test('what is there for others only is hidden', () => {
  const nothing = { tool: () => false, prompt: () => false, resource: () => false };
  const check = (permits: Parameters<typeof buildSurface>[2], entries = ENTRIES): boolean =>
    buildSurface(entries, ALL, permits).isHidden;
  expect(check(EVERYTHING_PERMITTED)).toBe(false);
  expect(check(nothing)).toBe(true);
  for (const kind of ['tool', 'prompt', 'resource'])
    expect(check({ ...nothing, [kind]: () => true }), kind).toBe(false);
  expect(check(nothing, [entryOf('empty', {})])).toBe(false);
});

test('every other member of a definition is kept', () => {
  const tool = {
    name: 't',
    title: 'T',
    inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
    outputSchema: { type: 'object' },
    annotations: { readOnlyHint: true, 'x-more': 1 },
    icons: [{ src: 'https://example.com/i.png' }],
    _meta: { 'vendor/key': [1] },
    unheardOf: { a: 1 },
  };
  const entries = [entryOf('c', { tools: [tool] })];
  const schema = { type: 'object', properties: { region: { type: 'string' } } };
  expect(buildSurface(entries, ALL, EVERYTHING_PERMITTED).tools).toEqual([
    { ...tool, name: 'c__t', inputSchema: schema },
  ]);
  expect(buildSurface(entries, { kind: 'connector', connector: 'c' }, EVERYTHING_PERMITTED).tools[0]).toBe(
    tool,
  );
});

describe('what the operator wrote', () => {
  const url = 'http://127.0.0.1:1/mcp';
  const guide = { name: 'guide', text: 'Only SELECT.', tools: ['query'] };
  const ask = {
    name: 'ask',
    title: 'Ask',
    text: 'Ask {{q}}',
    arguments: [{ name: 'q', required: true }],
    tools: ['query'],
  };
  const entries = [
    entryOf(
      'db',
      { tools: ['query', 'other'], prompts: ['help'] },
      { url, prompts: [guide, ask, { name: 'help', text: 'mine' }] },
    ),
  ];

  test('stands beside the prompts of the upstream, which keep their names', () => {
    const surface = buildSurface(entries, ALL, EVERYTHING_PERMITTED);
    expect(surface.prompts).toEqual([
      { name: 'db__help' },
      { name: 'db__guide', _meta: { 'crosspoint/source': 'operator', 'crosspoint/tools': ['db__query'] } },
      {
        name: 'db__ask',
        title: 'Ask',
        arguments: [{ name: 'q', required: true }],
        _meta: { 'crosspoint/source': 'operator', 'crosspoint/tools': ['db__query'] },
      },
    ]);
    expect(surface.findPrompt('db__guide')?.written).toMatchObject({ text: 'Only SELECT.' });
    expect(surface.findPrompt('db__help')?.written).toBeUndefined();
  });

  test('names no tool that the agent does not see', () => {
    const permits = { ...EVERYTHING_PERMITTED, tool: () => false };
    for (const scope of [ALL, { kind: 'connector', connector: 'db' } as const])
      expect(JSON.stringify(buildSurface(entries, scope, permits).prompts)).not.toContain('query');
  });

  test('is part of the description of the tools it belongs to, unless it has blanks', () => {
    const { tools } = buildSurface(entries, ALL, EVERYTHING_PERMITTED);
    expect(tools.map(({ description }) => description)).toEqual([
      '## Usage guide (added by the operator)\nOnly SELECT.',
      undefined,
    ]);
  });
});

describe('many tools', () => {
  const tools = Array.from({ length: 300 }, (_, n) => `t${String(n).padStart(3, '0')}`);
  const counting = (entryMs = 0) => {
    const asked: string[] = [];
    const permits = {
      ...EVERYTHING_PERMITTED,
      tool: (_entry: unknown, { name }: { readonly name: string }) => {
        asked.push(name);
        for (const end = performance.now() + entryMs; performance.now() < end;);
        return name !== 't001';
      },
    };
    return { asked, surface: buildSurface([entryOf('db', { tools })], ALL, permits) };
  };

  test('whoever looks for one asks about no other', () => {
    const { asked, surface } = counting();
    expect(surface.findTool('db__t007')?.tool.name).toBe('t007');
    expect(surface.findTool('db__t001')).toBeUndefined();
    expect(surface.findToolOf('db', 't007')).toBe(surface.findTool('db__t007'));
    expect(asked).toEqual(['t007', 't001']);
  });

  test('a list is prepared while others have their turn, and each tool is asked about once', async () => {
    const { asked, surface } = counting(0.2);
    let turns = 0;
    const other = setInterval(() => turns++, 0);
    await surface.prepareTools();
    clearInterval(other);
    expect(turns).toBeGreaterThan(0);
    expect(surface.prepareTools()).toBeUndefined();
    expect(names(surface.tools)).toEqual(
      tools.filter((name) => name !== 't001').map((name) => `db__${name}`),
    );
    expect(asked).toEqual(tools);
  });

  test('who needs the list at once gets all of it, also while it is prepared', async () => {
    const { asked, surface } = counting(0.2);
    const prepared = surface.prepareTools();
    expect(surface.tools).toHaveLength(299);
    await prepared;
    expect([surface.tools.length, asked.length]).toEqual([299, 300]);
  });
});
