import { isObject, type Json, type JsonObject } from '../../src/mcp/jsonrpc/index.js';

/** Where a request enters the hub, and how it speaks. */
export interface Entrance {
  readonly endpoint: 'aggregate' | 'connector';
  readonly era: 'legacy' | 'modern';
}

export interface Rewrite {
  readonly what: string;
  readonly applies: (entrance: Entrance, method: string) => boolean;
  readonly rewrite: (result: JsonObject, connector: string) => JsonObject;
}

const LISTS: Readonly<Record<string, readonly [member: string, key: string]>> = {
  'tools/list': ['tools', 'name'],
  'prompts/list': ['prompts', 'name'],
  'resources/list': ['resources', 'uri'],
  'resources/templates/list': ['resourceTemplates', 'uriTemplate'],
};
const isModern = ({ era }: Entrance): boolean => era === 'modern';
const isAggregate = ({ endpoint }: Entrance): boolean => endpoint === 'aggregate';

/** Everything the hub changes in what an upstream answers. Whatever is not named here arrives as it was sent. */
const REWRITES: readonly Rewrite[] = [
  {
    what: 'a call can be asked for as a task where the upstream makes tasks, and never has to be',
    applies: (entrance, method) => !isModern(entrance) && method === 'tools/list',
    rewrite: (result) => {
      const decidesItself = result['resultType'] !== undefined;
      return mapLists(result, (items) =>
        items.map((item) => {
          const support = (item['execution'] as JsonObject | undefined)?.['taskSupport'];
          const isPossible = decidesItself || support === 'required' || support === 'optional';
          return isPossible ? { ...item, execution: { taskSupport: 'optional' } } : item;
        }),
      );
    },
  },
  {
    what: 'what a modern upstream says of its own hop is taken off',
    applies: () => true,
    rewrite: (result) => {
      const { resultType: _type, cacheScope: _scope, _meta: meta, ...rest } = result;
      const { 'io.modelcontextprotocol/serverInfo': _info, ...keys } = (meta ?? {}) as JsonObject;
      return Object.keys(keys).length === 0 ? rest : { ...rest, _meta: keys };
    },
  },
  {
    what: 'lists come whole and sorted by name',
    applies: (_entrance, method) => LISTS[method] !== undefined,
    rewrite: (result) => {
      const { nextCursor: _, ...rest } = result;
      return mapLists(rest, (items, key) =>
        items.toSorted((a, b) => (textOf(a[key]) < textOf(b[key]) ? -1 : 1)),
      );
    },
  },
  {
    what: 'names of tools and prompts begin with the connector',
    applies: (entrance, method) =>
      isAggregate(entrance) && (method === 'tools/list' || method === 'prompts/list'),
    rewrite: (result, connector) =>
      mapLists(result, (items) =>
        items.map((item) => ({ ...item, name: exposed(connector, textOf(item['name'])) })),
      ),
  },
  {
    what: 'header annotations of parameters are left out where clients cannot honour them',
    applies: (entrance, method) => method === 'tools/list' && (isAggregate(entrance) || !isModern(entrance)),
    rewrite: (result) =>
      mapLists(result, (items) =>
        items.map((item) => ({
          ...item,
          inputSchema: withoutKey(item['inputSchema'] as Json, 'x-mcp-header'),
        })),
      ),
  },
  {
    what: 'schemas of properties are objects for clients of the handshake era, which knew no others',
    applies: (entrance, method) => method === 'tools/list' && !isModern(entrance),
    rewrite: (result) =>
      mapLists(result, (items) =>
        items.map((item) => ({
          ...item,
          inputSchema: withObjectProperties(item['inputSchema'] as JsonObject),
        })),
      ),
  },
  {
    what: 'results of the modern era say what kind they are and who made them',
    applies: isModern,
    rewrite: (result) => ({
      ...result,
      resultType: 'complete',
      _meta: {
        ...(result['_meta'] as JsonObject | undefined),
        'io.modelcontextprotocol/serverInfo': { name: 'crosspoint', title: 'Crosspoint', version: '0.1.0' },
      },
    }),
  },
  {
    what: 'the modern era has no execution of tools',
    applies: (entrance, method) => isModern(entrance) && method === 'tools/list',
    rewrite: (result) =>
      mapLists(result, (items) =>
        items.map((item) => {
          const { execution: _, ...rest } = item;
          return rest;
        }),
      ),
  },
  {
    what: 'clients of the handshake era are not told how long to keep something',
    applies: (entrance) => !isModern(entrance),
    rewrite: (result) => {
      const { ttlMs: _, ...rest } = result;
      return rest;
    },
  },
  {
    what: 'lists of the modern era may be kept as long as the upstream said, a minute at most, by whom they were made for',
    applies: (entrance, method) => isModern(entrance) && LISTS[method] !== undefined,
    rewrite: (result) => ({
      ...result,
      ttlMs: typeof result['ttlMs'] === 'number' ? Math.min(60_000, result['ttlMs']) : 60_000,
      cacheScope: 'private',
    }),
  },
  {
    what: 'contents may be kept as long as the upstream said, else not at all',
    applies: (entrance, method) => isModern(entrance) && method === 'resources/read',
    rewrite: (result) => ({ ...result, ttlMs: 0, cacheScope: 'private' }),
  },
];

/** What the hub should answer, given what the upstream answers. */
export function rewritten(
  result: JsonObject,
  entrance: Entrance,
  method: string,
  connector: string,
): JsonObject {
  return REWRITES.filter(({ applies }) => applies(entrance, method)).reduce(
    (changed, { rewrite }) => rewrite(changed, connector),
    result,
  );
}

/** The same request as it is made at the hub. */
export function addressed(params: JsonObject, { endpoint }: Entrance, connector: string): JsonObject {
  if (endpoint === 'connector') return params;
  const { name, ref } = params;
  if (typeof name === 'string') return { ...params, name: exposed(connector, name) };
  if (isObject(ref) && typeof ref['name'] === 'string')
    return { ...params, ref: { ...ref, name: exposed(connector, ref['name']) } };
  return params;
}

function exposed(connector: string, name: string): string {
  return `${connector}__${name.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`;
}

function mapLists(
  result: JsonObject,
  change: (items: readonly JsonObject[], key: string) => readonly JsonObject[],
): JsonObject {
  for (const [member, key] of Object.values(LISTS)) {
    const items = result[member];
    if (Array.isArray(items)) return { ...result, [member]: change(items as JsonObject[], key) };
  }
  return result;
}

function withoutKey(value: Json, key: string): Json {
  if (Array.isArray(value)) return value.map((item) => withoutKey(item as Json, key));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== key)
      .map(([name, member]) => [name, withoutKey(member as Json, key)]),
  );
}

function withObjectProperties(schema: JsonObject): JsonObject {
  const { properties } = schema;
  if (!isObject(properties)) return schema;
  const objects = Object.entries(properties).map(([name, property]) => [
    name,
    property === true ? {} : property,
  ]);
  return { ...schema, properties: Object.fromEntries(objects) as JsonObject };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
