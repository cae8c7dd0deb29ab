import { describe, expect, test } from 'vitest';
import { failure, openLegacy, openModern } from '../../../test/support/client/open-client.js';
import { type Answer, type Script, type Sent } from '../../../test/support/client/scripted-transport.js';
import { ProtocolError } from '../jsonrpc/index.js';
import { TransportError } from '../transports/index.js';

function tool(name: string): { name: string; inputSchema: { type: string } } {
  return { name, inputSchema: { type: 'object' } };
}

/** Pages by cursor; the first one has none. */
function pages(table: Readonly<Record<string, Answer>>): Script {
  return {
    'tools/list': ({ params }: Sent) =>
      table[typeof params['cursor'] === 'string' ? `>${params['cursor']}` : ''] ??
      new ProtocolError(-32602, 'bad cursor'),
  };
}

describe('pages', () => {
  test('C40, U-25: all pages are read, and an empty cursor leads on', async () => {
    const { client, wire } = await openLegacy(
      { tools: {} },
      pages({
        '': { tools: [tool('a')], nextCursor: '' },
        '>': { tools: [tool('b')], nextCursor: 'x' },
        '>x': { tools: [tool('c')] },
      }),
    );
    const listed = await client.listTools();
    expect(listed.items.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(listed).toMatchObject({ rejected: [], ttlMs: undefined, cacheScope: undefined });
    expect(wire.of('tools/list').map(({ message }) => ('params' in message ? message.params : null))).toEqual(
      [undefined, { cursor: '' }, { cursor: 'x' }],
    );
  });

  test('C40, U-21: a cursor that comes again ends the list with an error', async () => {
    const { client, wire } = await openLegacy(
      { tools: {} },
      pages({
        '': { tools: [], nextCursor: 'x' },
        '>x': { tools: [], nextCursor: 'y' },
        '>y': { tools: [], nextCursor: 'x' },
      }),
    );
    expect(await failure(client.listTools())).toMatchObject({ code: 'cursor_repeated' });
    expect(wire.of('tools/list')).toHaveLength(3);
  });

  test('C40, U-21: there is a limit to the number of pages', async () => {
    let page = 0;
    const { client, wire } = await openLegacy(
      { tools: {} },
      { 'tools/list': () => ({ tools: [tool(`t${page}`)], nextCursor: `c${page++}` }) },
      { maxPages: 4 },
    );
    expect(await failure(client.listTools())).toMatchObject({ code: 'page_limit' });
    expect(wire.of('tools/list')).toHaveLength(4);
  });

  test.each([[{}], [{ tools: {} }], [{ tools: [], nextCursor: 5 }]])(
    'a page of %j is an invalid response',
    async (page) => {
      const { client } = await openLegacy({ tools: {} }, { 'tools/list': page });
      expect(await failure(client.listTools())).toMatchObject({ code: 'invalid_response' });
    },
  );

  test('C42: when a cursor fails the list is read once more from its start', async () => {
    let starts = 0;
    const { client } = await openLegacy(
      { tools: {} },
      {
        'tools/list': ({ params }: Sent) => {
          if (params['cursor'] !== undefined) return new ProtocolError(-32602, 'cursor of an older list');
          return starts++ === 0 ? { tools: [tool('old')], nextCursor: 'x' } : { tools: [tool('new')] };
        },
      },
    );
    expect((await client.listTools()).items.map(({ name }) => name)).toEqual(['new']);
    const { client: other, wire } = await openLegacy(
      { tools: {} },
      { 'tools/list': new ProtocolError(-32602, 'no') },
    );
    expect(await failure(other.listTools())).toMatchObject({ code: -32602 });
    expect(wire.of('tools/list')).toHaveLength(1);
  });

  test('a list can be aborted', async () => {
    const abort = new AbortController();
    const { client, wire } = await openLegacy(
      { tools: {} },
      {
        'tools/list': ({ params }: Sent) => {
          if (params['cursor'] !== undefined) abort.abort();
          return { tools: [], nextCursor: `${JSON.stringify(params['cursor'])}x` };
        },
      },
    );
    expect(await failure(client.listTools({ signal: abort.signal }))).toMatchObject({ code: 'aborted' });
    expect(wire.of('tools/list')).toHaveLength(2);
  });

  test('C42: the shortest life and the strictest scope count for the whole', async () => {
    const { client } = await openModern(
      { tools: {} },
      pages({
        '': { tools: [], nextCursor: 'x', ttlMs: 9000, cacheScope: 'public' },
        '>x': { tools: [], nextCursor: 'y', ttlMs: 5000, cacheScope: 'private' },
        '>y': { tools: [], ttlMs: 1e12, cacheScope: 'public' },
      }),
    );
    expect(await client.listTools()).toMatchObject({ ttlMs: 5000, cacheScope: 'private' });
    const capped = await openModern(
      { tools: {} },
      { 'tools/list': { tools: [], ttlMs: 1e12, cacheScope: 'public' } },
    );
    expect(await capped.client.listTools()).toMatchObject({ ttlMs: 86_400_000, cacheScope: 'public' });
    const partly = await openModern(
      { tools: {} },
      pages({ '': { tools: [], nextCursor: 'x', ttlMs: 9000 }, '>x': { tools: [] } }),
    );
    expect((await partly.client.listTools()).ttlMs).toBe(0);
    const negative = await openModern({ tools: {} }, { 'tools/list': { tools: [], ttlMs: -5 } });
    expect((await negative.client.listTools()).ttlMs).toBe(0);
  });
});

describe('what is offered', () => {
  test('C41: what is not advertised is empty without asking', async () => {
    const { client, wire } = await openLegacy({}, {});
    for (const list of [
      client.listTools(),
      client.listPrompts(),
      client.listResources(),
      client.listResourceTemplates(),
    ]) {
      expect((await list).items).toEqual([]);
    }
    expect(wire.methods).toEqual(['initialize', 'notifications/initialized']);
  });

  test('C41: an unknown method is an empty list', async () => {
    const { client, wire } = await openLegacy({ tools: {}, prompts: {}, resources: {} }, {});
    for (const list of [
      client.listTools(),
      client.listPrompts(),
      client.listResources(),
      client.listResourceTemplates(),
    ]) {
      expect((await list).items).toEqual([]);
    }
    expect(wire.methods.slice(2)).toEqual([
      'tools/list',
      'prompts/list',
      'resources/list',
      'resources/templates/list',
    ]);
  });

  test('each list has its own entries', async () => {
    const { client } = await openLegacy(
      { prompts: {}, resources: {} },
      {
        'prompts/list': { prompts: [{ name: 'p', arguments: [{ name: 'a' }], icons: [] }] },
        'resources/list': { resources: [{ uri: 'x://1', name: 'one', size: 4 }] },
        'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'x://{id}', name: 'any' }] },
      },
    );
    expect((await client.listPrompts()).items).toEqual([
      { name: 'p', arguments: [{ name: 'a' }], icons: [] },
    ]);
    expect((await client.listResources()).items).toEqual([{ uri: 'x://1', name: 'one', size: 4 }]);
    expect((await client.listResourceTemplates()).items).toEqual([{ uriTemplate: 'x://{id}', name: 'any' }]);
  });

  test('U-23: malformed entries are set aside with a reason, good ones are kept as they are', async () => {
    const good = {
      ...tool('good'),
      title: 'Good',
      'x-vendor': { deep: [1] },
      outputSchema: { type: 'array' },
    };
    const { client } = await openLegacy(
      { tools: {} },
      {
        'tools/list': {
          tools: [
            null,
            'text',
            {},
            { name: 5, inputSchema: { type: 'object' } },
            { name: '', inputSchema: { type: 'object' } },
            { name: 'none' },
            { name: 'list', inputSchema: [] },
            { name: 'other', inputSchema: { type: 'string' } },
            { name: 'out', inputSchema: {}, outputSchema: 'x' },
            good,
            tool('good'),
            JSON.parse(
              '{"name":"proto","inputSchema":{"type":"object","__proto__":{"polluted":true}}}',
            ) as never,
          ],
        },
      },
    );
    const listed = await client.listTools();
    expect(listed.items[0]).toEqual(good);
    expect(listed.items.map(({ name }) => name)).toEqual(['good', 'proto']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(listed.rejected.map(({ name, reason }) => `${name}: ${reason}`)).toEqual([
      'undefined: not an object',
      'undefined: not an object',
      'undefined: name must be a string',
      'undefined: name must be a string',
      'undefined: name must be a string',
      'none: inputSchema must be an object',
      'list: inputSchema must be an object',
      'other: inputSchema must describe an object',
      'out: outputSchema must be an object',
      'good: name occurs twice',
    ]);
  });

  test('C40: null for what is left out is nothing, and not passed on', async () => {
    const schema = { type: 'object', properties: { a: { default: null } } };
    const { client } = await openLegacy(
      { tools: {}, prompts: {} },
      {
        'tools/list': {
          tools: [
            {
              name: 'a',
              title: null,
              outputSchema: null,
              inputSchema: schema,
              annotations: { readOnlyHint: true, title: null },
              _meta: null,
              other: null,
            },
          ],
          nextCursor: null,
        },
        'prompts/list': { prompts: [{ name: 'p', arguments: [{ name: 'x', description: null }] }] },
      },
    );
    expect((await client.listTools()).items).toEqual([
      { name: 'a', inputSchema: schema, annotations: { readOnlyHint: true }, other: null },
    ]);
    expect((await client.listPrompts()).items).toEqual([{ name: 'p', arguments: [{ name: 'x' }] }]);
  });

  test('malformed prompts, resources and templates likewise', async () => {
    const { client } = await openLegacy(
      { prompts: {}, resources: {} },
      {
        'prompts/list': { prompts: [{ name: 'p', arguments: 'x' }, { name: 'q' }] },
        'resources/list': {
          resources: [{ uri: 'x://1' }, { name: 'no uri' }, { uri: 'x://2', name: 'two' }],
        },
        'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'x' }] },
      },
    );
    expect((await client.listPrompts()).rejected).toEqual([
      { name: 'p', reason: 'arguments must be objects' },
    ]);
    expect((await client.listResources()).rejected.map(({ name }) => name)).toEqual(['x://1', undefined]);
    expect((await client.listResourceTemplates()).rejected).toHaveLength(1);
  });

  test('U-22: ten thousand tools in a hundred pages', async () => {
    const { client } = await openLegacy(
      { tools: {} },
      {
        'tools/list': ({ params }: Sent) => {
          const page = Number(params['cursor'] ?? 0);
          const tools = Array.from({ length: 100 }, (_, index) => tool(`t${page * 100 + index}`));
          return page === 99 ? { tools } : { tools, nextCursor: String(page + 1) };
        },
      },
    );
    expect((await client.listTools()).items).toHaveLength(10_000);
  });
});

test('C30: a list whose session is lost half way starts over in a new one', async () => {
  let lost = false;
  const { client, wire } = await openLegacy(
    { tools: {} },
    {
      'tools/list': ({ params }: Sent) => {
        if (params['cursor'] === undefined) return { tools: [tool('a')], nextCursor: 'x' };
        if (lost) return { tools: [tool('b')] };
        lost = true;
        return new TransportError('MCP_SESSION_NOT_FOUND', 'gone', { status: 404, mayHaveArrived: false });
      },
    },
  );
  expect((await client.listTools()).items.map(({ name }) => name)).toEqual(['a', 'b']);
  expect(wire.methods.slice(2)).toEqual([
    'tools/list',
    'tools/list',
    'initialize',
    'notifications/initialized',
    'tools/list',
    'tools/list',
  ]);
});

test('C33: a page whose answer is lost is asked for again, once', async () => {
  const lost = new TransportError('CONNECTION_CLOSED', 'gone');
  const answers: Answer[] = [{ tools: [tool('a')], nextCursor: 'x' }, lost, { tools: [tool('b')] }];
  const { client, wire } = await openLegacy({ tools: {} }, { 'tools/list': () => answers.shift() ?? lost });
  expect((await client.listTools()).items.map(({ name }) => name)).toEqual(['a', 'b']);
  expect(wire.of('tools/list').map(({ params }) => params['cursor'])).toEqual([undefined, 'x', 'x']);
  expect(await failure(client.listTools())).toBe(lost);
});
