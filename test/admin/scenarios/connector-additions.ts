import { expect } from 'vitest';
import { toConnectorId } from '../../../src/kernel/index.js';
import { withNotes, type AdminHub } from '../../support/admin-hub.js';
import { ADMIN, named, type Scenario } from '../scenario.js';
import { ADDED, addition, operator } from './connector-requests.js';

async function checkNothingStored(hub: AdminHub): Promise<void> {
  expect(await hub.storage.connectors.list()).toEqual([]);
}

const adding: Scenario[] = [
  {
    name: 'a connector is added',
    ...addition(
      {
        url: 'https://new.example/mcp',
        name: 'New <b>one</b>',
        tags: ['team'],
        timeouts: { totalMs: 5_000 },
      },
      201,
    ),
    body: {
      id: 'new',
      name: 'New <b>one</b>',
      transport: 'streamable_http',
      url: 'https://new.example/mcp',
      source: 'stored',
      readOnly: false,
      enabled: true,
      tags: ['team'],
      timeouts: { connectMs: 5_000, totalMs: 5_000 },
      auth: { type: 'none' },
      sync: null,
      health: { state: 'unknown' },
      version: 1,
      credentials: [],
    },
    headers: { etag: /^"1-/ },
    events: [{ ...ADDED, connector: 'new' }],
    after: async (hub) => expect(hub.signals.connectors).toBe(1),
  },
  {
    name: 'B4.6: secrets given with a connector go to the vault and are only told of',
    ...addition(
      {
        url: 'https://new.example/mcp',
        auth: { type: 'header', headers: { 'X-One': 'canary-secret-one1', 'X-Two': null } },
      },
      201,
    ),
    body: {
      auth: { type: 'header', headers: { 'X-One': { set: true, last4: 'one1' }, 'X-Two': { set: false } } },
      credentialMode: 'shared',
      credentials: [{ owner: 'shared', set: true }],
    },
    events: [
      { ...ADDED, connector: 'new' },
      { type: 'credential.saved', connector: 'new', owner: 'shared', actor: ADMIN },
    ],
    after: async (hub) => {
      const stored = await hub.storage.credentials.find(toConnectorId('new'), { kind: 'shared' });
      expect(stored?.values['X-One']?.reveal()).toBe('canary-secret-one1');
    },
  },
  {
    name: 'another with the same id is a conflict',
    given: withNotes,
    ...addition({ id: 'notes', url: 'https://other.example/mcp' }, 409),
    body: { error: { code: 'conflict' } },
  },
  {
    name: 'the id of a configured one is a conflict',
    ...addition({ id: 'filed', url: 'https://other.example/mcp' }, 409),
    body: { error: { code: 'conflict' } },
  },
  {
    name: 'an id that is no name is refused',
    ...addition({ id: '../x', url: 'https://a.example/' }),
    body: { error: { code: 'invalid_request', details: { field: 'id' } } },
  },
  {
    name: 'A-3: fields that are not ours to take are refused',
    ...addition({ url: 'https://a.example/', role: 'owner' }),
    body: { error: { details: { field: 'role', issues: [{ field: 'role', message: 'unknown field' }] } } },
  },
  ...['tenantId', 'createdAt', 'version', 'source', 'readOnly', '__proto__x'].map((field): Scenario => ({
    name: `A-3: ${field} cannot be assigned`,
    ...addition({ url: 'https://a.example/', [field]: 1 }),
    body: { error: { details: { field } } },
  })),
  ...[
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://user:pw@a.example/',
    `https://a.example/${'x'.repeat(65_000 / 2)}`,
    'http://127.0.0.1:8005/mcp',
    'http://[::1]/',
    'https://169.254.169.254/',
    'http://a.example/',
    'nonsense',
  ].map((url): Scenario => ({
    name: `A-4: the url ${url.slice(0, 40)} is refused by name of the field`,
    ...addition({ url }),
    body: { error: { code: 'invalid_request', details: { field: 'url' } } },
  })),
  {
    name: 'an owner may let it reach a private network',
    ...addition({ url: 'http://127.0.0.1:8005/mcp', allowPrivateNetwork: true }, 201),
    body: { allowPrivateNetwork: true },
    events: [ADDED],
  },
  {
    name: 'who is no owner may not',
    options: { authenticateAdmin: operator },
    ...addition({ url: 'http://127.0.0.1:8005/mcp', allowPrivateNetwork: true }, 403),
    body: { error: { code: 'forbidden' } },
  },
  ...[
    { command: 'sh' },
    { command: 'sh', args: ['-c', 'touch /tmp/owned'] },
    { transport: 'stdio' },
    { type: 'stdio', url: 'https://a.example/' },
    { url: 'https://a.example/', env: { A: 'b' } },
  ].map((body): Scenario => ({
    name: `A-5: ${JSON.stringify(body)} is refused, nothing is run`,
    ...addition(body),
    body: { error: { code: 'invalid_request' } },
    after: checkNothingStored,
  })),
  {
    name: 'with allowStdioFromApi a command is taken, its variables are secrets',
    options: { allowStdioFromApi: true },
    ...addition({ command: 'node', args: ['canary.mjs'], env: { KEY: 'canary-variable-9999' } }, 201),
    body: { transport: 'stdio', command: 'node', argCount: 1, env: { KEY: { set: true, last4: '9999' } } },
    events: [ADDED],
  },
  {
    name: 'even then only from an owner',
    options: { allowStdioFromApi: true, authenticateAdmin: operator },
    ...addition({ command: 'node' }, 403),
  },
  {
    name: 'fields of the other transport are refused',
    options: { allowStdioFromApi: true },
    ...addition({ command: 'node', url: 'https://a.example/' }),
    body: { error: { message: expect.stringContaining('does not belong') } },
  },
  ...[
    ['X-A', 'a\r\nHost: evil'],
    ['Host', 'evil'],
    ['Content-Length', '1'],
    ['Transfer-Encoding', 'chunked'],
    ['X A', 'v'],
    ['X-A\r\n', 'v'],
  ].map(([name, value]): Scenario => ({
    name: `A-10: the header ${JSON.stringify(name)} with ${JSON.stringify(value)} is refused`,
    ...addition({ url: 'https://a.example/', headers: { [name!]: value } }),
    body: { error: { code: 'invalid_request' } },
  })),
  {
    name: 'A-9: a name with control characters is refused',
    ...addition({ url: 'https://a.example/', name: 'a\u001b[31m' }),
    body: { error: { details: { field: 'name' } } },
  },
  {
    name: 'A-9: a name of 10 KB is refused',
    ...addition({ url: 'https://a.example/', name: 'n'.repeat(10_240) }),
    body: { error: { details: { field: 'name' } } },
  },
  {
    name: 'A-9: markup and other scripts stay as they are',
    ...addition({ url: 'https://a.example/', name: '<script>alert(1)</script> ‮ 日本' }, 201),
    body: { name: '<script>alert(1)</script> ‮ 日本' },
    events: [ADDED],
  },
];

export const CONNECTOR_ADDITIONS = named('connectors', adding);
