import { describe, expect, test } from 'vitest';
import { parseConnector, type Connector } from '../connectors/index.js';
import type { ConnectorPatch } from '../contract/index.js';
import { mergeConnector } from './merge-connector.js';

const NOW = 2_000;
const http = (input: object): Connector =>
  parseConnector('c', { url: 'https://a.example/mcp', ...input }, { source: 'stored', now: 1_000 });
const stdio = (input: object = {}): Connector =>
  parseConnector('c', { command: 'node', args: ['x'], ...input }, { source: 'stored', now: 1_000 });
const merge = (before: Connector, patch: ConnectorPatch) => mergeConnector(before, patch, NOW);

test('nothing given changes nothing but version and time', () => {
  for (const before of [
    http({
      tags: ['a'],
      prompts: [{ name: 'p', text: 't' }],
      toolTags: { t: ['x'] },
      timeouts: { connectMs: 9 },
    }),
    stdio({ cwd: '/srv', idleStopMs: 5, env: { A: 'b' } }),
  ]) {
    expect(merge(before, {})).toEqual({ ...before, version: 2, updatedAt: NOW });
  }
});

test('groups are merged, lists are replaced', () => {
  const before = http({
    timeouts: { totalMs: 1 },
    limits: { queue: 7 },
    tags: ['a'],
    toolTags: { one: ['x'], two: ['y'] },
  });
  expect(
    merge(before, {
      timeouts: { connectMs: 2 },
      limits: { queue: 8 },
      tags: ['b'],
      toolTags: { two: null, three: ['z'] },
    }),
  ).toMatchObject({
    timeouts: { connectMs: 2, totalMs: 1 },
    limits: { queue: 8 },
    tags: ['b'],
    toolTags: { one: ['x'], three: ['z'] },
  });
});

test('disabled is the other word for enabled', () => {
  expect(merge(http({}), { disabled: true }).enabled).toBe(false);
});

describe('authentication', () => {
  test('its settings stay, its secrets are elsewhere', () => {
    expect(
      merge(http({ auth: { type: 'api_key', header: 'X-K' } }), { auth: { value: 'v' } }).auth,
    ).toMatchObject({ type: 'api_key', header: 'X-K', value: expect.anything() });
    expect(merge(http({ auth: { type: 'api_key', header: 'X-K' } }), { auth: { value: '' } }).auth).toEqual({
      type: 'api_key',
      header: 'X-K',
      value: undefined,
    });
    expect(
      merge(http({ auth: { type: 'oauth', clientId: 'i', scopes: ['s'] } }), {
        auth: { scopes: ['t'], clientId: '' },
      }).auth,
    ).toEqual({ type: 'oauth', settings: { clientId: 'i', scopes: ['t'] } });
  });

  test('the secret of an OAuth client stays with that client', () => {
    const before = http({ auth: { type: 'client_credentials', clientId: 'i', clientSecret: 's' } });
    const secretOf = ({ auth }: Connector) =>
      auth.type === 'client_credentials' ? auth.settings.clientSecret?.reveal() : undefined;
    expect(secretOf(merge(before, { auth: { scopes: ['t'] } }))).toBe('s');
    expect(secretOf(merge(before, { auth: { clientSecret: 'new' } }))).toBe('new');
    expect(() => merge(before, { auth: { clientId: 'other' } })).toThrow(/clientSecret/);
    expect(secretOf(merge(before, { auth: { clientId: 'other', clientSecret: 'x' } }))).toBe('x');
  });

  test('headers come and go by name', () => {
    const before = http({ auth: { type: 'header', headers: { 'X-One': null, 'X-Two': null } } });
    expect(merge(before, { headers: { 'x-one': 'new', 'X-Two': null, 'X-Three': '' } }).auth).toMatchObject({
      type: 'header',
      headers: ['X-One', 'X-Three'],
      values: { 'X-One': expect.anything() },
    });
    expect(merge(before, { auth: { headers: { 'X-Four': 'v' } } }).auth).toMatchObject({
      headers: ['X-One', 'X-Two', 'X-Four'],
    });
    expect(() => merge(before, { auth: { headers: 'x' } })).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });

  test('where it begins or ends the mode follows', () => {
    expect(merge(http({}), { auth: { type: 'bearer' } }).credentialMode).toBe('shared');
    expect(
      merge(http({ auth: { type: 'bearer' }, credentialMode: 'per_agent' }), { auth: { type: 'none' } })
        .credentialMode,
    ).toBe('none');
    expect(
      merge(http({ auth: { type: 'bearer' }, credentialMode: 'per_agent' }), { auth: { type: 'api_key' } })
        .credentialMode,
    ).toBe('per_agent');
  });

  test.each<[string, ConnectorPatch]>([
    ['headers and auth at once', { headers: { A: 'b' }, auth: { type: 'none' } }],
    ['fields of another type', { auth: { type: 'bearer', header: 'X' } }],
    ['a mode that contradicts', { credentialMode: 'none' }],
  ])('%s are refused', (_name, patch) => {
    expect(() => merge(http({ auth: { type: 'bearer' } }), patch)).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });
});

test.each<[string, Connector, ConnectorPatch]>([
  ['an address for a process', stdio(), { url: 'https://a.example/' }],
  ['authentication for a process', stdio(), { auth: { type: 'none' } }],
  ['headers for a process', stdio(), { headers: { A: 'b' } }],
  ['a command for an address', http({}), { command: 'sh' }],
  ['variables for an address', http({}), { env: { A: 'b' } }],
  ['an address that becomes a process', http({}), { type: 'stdio' }],
  ['a process that becomes an address', stdio(), { transport: 'sse' }],
  ['a private address', http({}), { url: 'https://192.168.1.1/' }],
])('%s is refused', (_name, before, patch) => {
  expect(() => merge(before, patch)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
});

test('variables come and go by name, blank ones stay', () => {
  const { endpoint } = merge(stdio({ env: { ONE: '1', TWO: '2', THREE: '3' } }), {
    env: { ONE: 'new', TWO: null, THREE: '', FOUR: '' },
  });
  const env =
    endpoint.transport === 'stdio'
      ? Object.entries(endpoint.env).map(([name, value]) => [name, value.reveal()])
      : [];
  expect(Object.fromEntries(env)).toEqual({ ONE: 'new', THREE: '3', FOUR: '' });
});

test('what the API changes is no longer built in', () => {
  expect(merge({ ...stdio(), source: 'built_in' }, { name: 'x' }).source).toBe('stored');
});
